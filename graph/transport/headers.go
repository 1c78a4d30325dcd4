package transport

import (
	"maps"
	"net/http"
)

// securityHeader has the headers of every response. All responses share these slices, so a handler may replace a slice
// in its header but must not modify it.
var securityHeader = map[string][]string{
	"X-Content-Type-Options":       {"nosniff"},
	"Referrer-Policy":              {"no-referrer"},
	"Cross-Origin-Resource-Policy": {"same-origin"},
	"X-Frame-Options":              {"DENY"},
	"Content-Security-Policy":      {"default-src 'none'; frame-ancestors 'none'"},
}

// SecurityHeaders sets headers on every response that restrict browsers: no content sniffing, no framing, no scripts,
// no embedding, no Referer. A page such as the console replaces Content-Security-Policy with its own.
//
// Cross-Origin-Resource-Policy prevents other sites from embedding a response without CORS, such as an image or script.
// It does not affect what CORS allows.
func SecurityHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		maps.Copy(w.Header(), securityHeader)
		next.ServeHTTP(w, r)
	})
}
