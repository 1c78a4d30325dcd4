package issuer

import (
	"net"
	"net/http"
	"net/url"
)

// crossOrigin accepts one method and lets pages of loopback origins read the
// response, because GraphiQL on another port signs in from the browser. A
// request with another Origin is rejected, because the issuer gives tokens to
// every client.
func crossOrigin(method string, h http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Origin")
		if origin := r.Header.Get("Origin"); origin != "" {
			u, err := url.Parse(origin)
			if err != nil || !loopback(u) {
				http.Error(w, "only loopback origins may call this issuer", http.StatusForbidden)
				return
			}
			w.Header().Set("Access-Control-Allow-Origin", origin)
		}
		allow := method + ", " + http.MethodOptions
		switch r.Method {
		case method:
			h(w, r)
		case http.MethodOptions:
			w.Header().Set("Allow", allow)
			w.Header().Set("Access-Control-Allow-Methods", method)
			w.Header().Set("Access-Control-Allow-Headers", "Accept, Authorization, Content-Type")
			w.WriteHeader(http.StatusNoContent)
		default:
			w.Header().Set("Allow", allow)
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		}
	})
}

// loopback reports whether u is an http URL on loopback.
func loopback(u *url.URL) bool {
	if u.Scheme != "http" || u.User != nil {
		return false
	}
	if u.Hostname() == "localhost" {
		return true
	}
	ip := net.ParseIP(u.Hostname())
	return ip != nil && ip.IsLoopback()
}
