package sandbox

import (
	"net/http"
	"net/netip"
	"net/url"

	"pixgraph/sandbox/issuer"
)

// local passes on the requests of this machine, and of pages that this machine serves. It rejects
// the requests that a page from elsewhere makes a browser send, also if the name of its host
// resolves to loopback (DNS rebinding), and those of other machines. The routes need no token, so
// nothing else protects them.
func local(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Add("Vary", "Origin")
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		if problem := foreign(r); problem != "" {
			writeProblem(w, http.StatusForbidden, problem)
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" {
			h.Set("Access-Control-Allow-Origin", origin)
		}
		if r.Method == http.MethodOptions {
			h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
			h.Set("Access-Control-Allow-Headers", "Accept, Authorization, Content-Type, Mcp-Protocol-Version")
			w.WriteHeader(http.StatusNoContent)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// emulator is the address of the machine in Android's emulator. Its requests come from loopback. No page has this host
// on the machine itself.
const emulator = "10.0.2.2"

// foreign says why a request is not one of this machine; it is empty if the request is one.
func foreign(r *http.Request) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !peer.Addr().Unmap().IsLoopback() {
		return "the sandbox responds only to clients on its own machine"
	}
	if len(r.Header["X-Forwarded-For"]) > 0 || len(r.Header["Forwarded"]) > 0 { // the client may be on another machine
		return "the sandbox does not respond to requests that a proxy forwards"
	}
	if host := (&url.URL{Scheme: "http", Host: r.Host}); !issuer.Loopback(host) && host.Hostname() != emulator {
		return "the sandbox must be addressed as localhost or by its loopback address"
	}
	switch origins := r.Header.Values("Origin"); len(origins) {
	case 0:
		// A browser sends no Origin with a link, an image or a script. Following a link is harmless: no GET has an
		// effect, and the page that has the link cannot read the response.
		if r.Header.Get("Sec-Fetch-Site") == "cross-site" && r.Header.Get("Sec-Fetch-Mode") != "navigate" {
			return "pages of other sites cannot use the sandbox"
		}
	default:
		origin, err := url.Parse(origins[0])
		if err != nil || len(origins) > 1 || !issuer.Loopback(origin) {
			return "only pages of loopback origins can use the sandbox"
		}
	}
	return ""
}
