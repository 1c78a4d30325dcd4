package transport

import (
	"maps"
	"net/http"
)

// securityHeader is what every answer has. Its lists are shared by all of them: nobody changes a list in a header, only
// which list there is.
var securityHeader = map[string][]string{
	"X-Content-Type-Options":       {"nosniff"},
	"Referrer-Policy":              {"no-referrer"},
	"Cross-Origin-Resource-Policy": {"same-origin"},
	"X-Frame-Options":              {"DENY"},
	"Content-Security-Policy":      {"default-src 'none'; frame-ancestors 'none'"},
}

// SecurityHeaders sets on every answer what keeps a browser from making more of it than data: it is not sniffed, framed,
// run or embedded, and its address is told to nobody. A page, such as the console, sets its own Content-Security-Policy
// over this one.
//
// Cross-Origin-Resource-Policy keeps other sites from embedding an answer without asking (as an image or script). It does
// not touch what CORS allows.
func SecurityHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		maps.Copy(w.Header(), securityHeader)
		next.ServeHTTP(w, r)
	})
}
