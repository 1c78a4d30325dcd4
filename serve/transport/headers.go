package transport

import "net/http"

// securityHeaders are the headers of every response. All responses share the slices, so a handler may replace a slice
// in its header but must not modify it.
var securityHeaders = []struct {
	name   string
	values []string
}{
	{"X-Content-Type-Options", []string{"nosniff"}},
	{"Referrer-Policy", []string{"no-referrer"}},
	{"Cross-Origin-Resource-Policy", []string{"same-origin"}},
	{"X-Frame-Options", []string{"DENY"}},
	{"Content-Security-Policy", []string{"default-src 'none'; frame-ancestors 'none'"}},
}

// SetSecurityHeaders sets headers of every response that restrict browsers: no content sniffing, no framing, no
// scripts, no embedding, no Referer. A page such as the console replaces Content-Security-Policy with its own.
//
// Cross-Origin-Resource-Policy prevents other sites from embedding a response without CORS, such as an image or script.
// It does not affect what CORS allows.
func SetSecurityHeaders(header http.Header) {
	for _, h := range securityHeaders {
		header[h.name] = h.values
	}
}
