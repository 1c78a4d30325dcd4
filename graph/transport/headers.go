package transport

import "net/http"

// SecurityHeaders sets on every answer what keeps a browser from making more of it than data: it is not sniffed, framed,
// run or embedded, and its address is told to nobody. A page, such as the console, sets its own Content-Security-Policy
// over this one.
//
// Cross-Origin-Resource-Policy keeps other sites from embedding an answer without asking (as an image or script). It does
// not touch what Guard allows, since those requests ask, by CORS.
func SecurityHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("X-Frame-Options", "DENY")
		header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		next.ServeHTTP(w, r)
	})
}
