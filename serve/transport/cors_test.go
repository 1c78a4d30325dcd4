package transport_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"pixgraph/graph/apierror"
	"pixgraph/serve/cors"
	"pixgraph/serve/run"
	"pixgraph/serve/transport"
)

// startCORS starts an endpoint that pages of some origins may use, without authentication.
func startCORS(t *testing.T, origins ...string) endpoint {
	t.Helper()
	allowed, err := cors.New(cors.Config{Origins: origins})
	must(t, err)
	return serve(t, behind(t, allowed))
}

// behind is an endpoint with CORS.
func behind(t testing.TB, allowed cors.CORS) http.Handler {
	next := newHandler(t, run.Config{}, nil)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if transport.SetSecurityHeaders(w.Header()); !allowed.Answer(w, r) {
			next.ServeHTTP(w, r)
		}
	})
}

// TestSimpleRequests: a POST that a page of another site can make a browser send without a preflight is not JSON, and
// is rejected, as TestContentType shows. Package serve rejects the others, which have no token.
func TestSimpleRequests(t *testing.T) {
	e := startCORS(t)
	const (
		query = "?query=%7Bok%7D"
		body  = `{"query":"{ ok }"}`
	)
	tests := []struct {
		name, method, target, body string
		header                     []string
		status                     int
	}{
		{"GET", "GET", query, "", nil, 200},
		{"GET that accepts HTML", "GET", query, "", []string{"Accept: text/html"}, 406},
		{"GET with a cookie", "GET", query, "", []string{"Cookie: session=x"}, 200},
		{"HEAD", "HEAD", query, "", nil, 200},
		{"POST", "POST", "", body, nil, 200},
		{"a form", "POST", "", "query=%7Bok%7D", []string{"Content-Type: application/x-www-form-urlencoded"}, 415},
		{"PUT", "PUT", "", body, nil, 405},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e.t = t
			r := e.send(tt.method, tt.target, tt.body, append([]string{plain}, tt.header...)...)
			if r.status != tt.status {
				t.Fatalf("status %d %s, want %d", r.status, r.body, tt.status)
			}
			if tt.status == 415 {
				r.wantError(415, apierror.BadRequest)
			}
			cached := "no-store"
			if tt.method != http.MethodPost && tt.status == http.StatusOK {
				cached = "private, no-cache"
			}
			for name, value := range map[string]string{
				"X-Content-Type-Options":       "nosniff",
				"Referrer-Policy":              "no-referrer",
				"Cross-Origin-Resource-Policy": "same-origin",
				"X-Frame-Options":              "DENY",
				"Content-Security-Policy":      "default-src 'none'; frame-ancestors 'none'",
				"Cache-Control":                cached,
				"Set-Cookie":                   "",
				"Server":                       "",
			} {
				r.wantHeader(name, value)
			}
		})
	}
}

// TestCORS: the headers for an origin.
func TestCORS(t *testing.T) {
	const app, other, local = "https://app.example.com", "https://other.example.com:8443", "http://localhost:*"
	tests := []struct {
		name    string
		allowed []string
		origin  string
		want    string // Access-Control-Allow-Origin
		vary    string
	}{
		{"no origin allowed", nil, app, "", ""},
		{"allowed", []string{app, other}, app, app, "Origin"},
		{"another allowed origin", []string{app, other}, other, other, "Origin"},
		{"not allowed", []string{app}, other, "", "Origin"},
		{"no origin", []string{app}, "", "", "Origin"},
		{"in upper case", []string{app}, "https://APP.example.com", "", "Origin"},
		{"another scheme", []string{app}, "http://app.example.com", "", "Origin"},
		{"an allowed origin as prefix", []string{app}, "https://app.example.com.evil.com", "", "Origin"},
		{"a path", []string{app}, app + "/", "", "Origin"},
		{"null", []string{app}, "null", "", "Origin"},
		{"any port", []string{local}, "http://localhost:5173", "http://localhost:5173", "Origin"},
		{"any port, without one", []string{local}, "http://localhost", "http://localhost", "Origin"},
		{"any port of an address", []string{app, "http://[::1]:*"}, "http://[::1]:5173", "http://[::1]:5173", "Origin"},
		{"any port, another host", []string{local}, "http://localhost.evil.com:5173", "", "Origin"},
		{"any port, a host as suffix", []string{local}, "http://evil-localhost:5173", "", "Origin"},
		{"any port, another scheme", []string{local}, "https://localhost:5173", "", "Origin"},
		{"any port, a user", []string{local}, "http://localhost:5173@evil.com", "", "Origin"},
		{"any port, a path", []string{local}, "http://localhost:5173/", "", "Origin"},
		{"any port, null", []string{local}, "null", "", "Origin"},
		{"any port, one that does not exist", []string{local}, "http://localhost:65536", "", "Origin"},
		{"every origin", []string{"*"}, app, "*", ""},
		{"every origin, without one", []string{"*"}, "", "*", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := startCORS(t, tt.allowed...)
			r := e.query(`{ ok }`, "Origin: "+tt.origin)
			r.wantBody(200, `{"data":{"ok":"fine"}}`)
			r.wantHeader("Access-Control-Allow-Origin", tt.want)
			r.wantHeader("Access-Control-Allow-Credentials", "")
			r.wantHeader("Vary", tt.vary)
			if exposed := r.header.Get("Access-Control-Expose-Headers"); strings.Contains(exposed, "ETag, Retry-After, RateLimit, ") != (tt.want != "") {
				t.Errorf("the page can read %q", exposed)
			}

			const headers = "accept,authorization,content-type,if-none-match,x-apollo-operation-name"
			pre := e.send(http.MethodOptions, "", "", "Origin: "+tt.origin,
				"Access-Control-Request-Method: POST", "Access-Control-Request-Headers: "+headers)
			pre.wantBody(http.StatusNoContent, "")
			pre.wantHeader("Allow", "GET, HEAD, POST, OPTIONS")
			pre.wantHeader("Access-Control-Allow-Origin", tt.want)
			pre.wantHeader("Access-Control-Allow-Credentials", "")
			methods, age, allowed := "GET, HEAD, POST", "7200", headers
			if tt.want == "" {
				methods, age, allowed = "", "", ""
			}
			pre.wantHeader("Access-Control-Allow-Methods", methods)
			pre.wantHeader("Access-Control-Max-Age", age)
			pre.wantHeader("Access-Control-Allow-Headers", allowed)
			if len(tt.allowed) > 0 && !strings.Contains(strings.Join(pre.header.Values("Vary"), ", "), "Access-Control-Request-Headers") {
				t.Errorf("Vary of the preflight is %q", pre.header.Values("Vary"))
			}
		})
	}
}

// TestOptions: an OPTIONS that is not a preflight gets the methods, and runs no operation.
func TestOptions(t *testing.T) {
	r := startCORS(t, "*").send(http.MethodOptions, "?query=%7Bok%7D", "")
	r.wantBody(http.StatusNoContent, "")
	r.wantHeader("Allow", "GET, HEAD, POST, OPTIONS")
	r.wantHeader("Access-Control-Allow-Methods", "")
}

// TestOrigins: cors.New rejects invalid origins. Its error has the origin that was probably meant.
func TestOrigins(t *testing.T) {
	const app = "https://app.example.com"
	tests := []struct {
		name    string
		origins []string
		valid   bool
		meant   string
	}{
		{"none", nil, true, ""},
		{"a host", []string{app}, true, ""},
		{"a port", []string{"http://localhost:3000"}, true, ""},
		{"an address", []string{"http://[::1]:3000"}, true, ""},
		{"a wildcard", []string{"*"}, true, ""},
		{"a wildcard and another", []string{app, "*"}, false, ""},
		{"empty", []string{""}, false, ""},
		{"null", []string{"null"}, false, ""},
		{"only a host", []string{"app.example.com"}, false, ""},
		{"a trailing slash", []string{"http://localhost:3000", app + "/"}, false, app},
		{"a path", []string{app + "/app"}, false, app},
		{"a query", []string{app + "?x"}, false, app},
		{"a user", []string{"https://me@app.example.com"}, false, ""},
		{"upper case", []string{"HTTPS://App.example.com"}, false, app},
		{"a default port", []string{app + ":443"}, false, app},
		{"a default port and a slash", []string{"http://app.example.com:80/"}, false, "http://app.example.com"},
		{"a pattern", []string{"https://*.example.com"}, false, ""},
		{"every port", []string{"http://localhost:*"}, true, ""},
		{"every port and more", []string{"http://localhost:*0"}, false, ""},
		{"another scheme", []string{"ftp://app.example.com"}, false, ""},
		{"two in one text", []string{"https://a.example.com,https://b.example.com"}, false, ""},
		{"a leading space", []string{" " + app}, false, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := cors.New(cors.Config{Origins: tt.origins})
			wrong := (*cors.OriginError)(nil)
			switch {
			case tt.valid && err != nil, !tt.valid && !errors.As(err, &wrong):
				t.Errorf("%q: %v", tt.origins, err)
			case !tt.valid && wrong.Meant != tt.meant:
				t.Errorf("%q: the error proposes %q, want %q", tt.origins, wrong.Meant, tt.meant)
			}
		})
	}
}

// TestCORSHeaders: a preflight allows the headers that it requests, unless they are no list of names.
func TestCORSHeaders(t *testing.T) {
	e := startCORS(t, "https://app.example.com")
	for requested, want := range map[string]string{
		"authorization,sentry-trace, Baggage": "authorization,sentry-trace, Baggage",
		"*":                                   "", "a:": "", "a;b": "", "é": "", strings.Repeat("a", 1001): "",
	} {
		for origin, allowed := range map[string]string{"https://app.example.com": want, "https://evil.example.com": ""} {
			r := e.send(http.MethodOptions, "", "", "Origin: "+origin, "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: "+requested)
			r.wantHeader("Access-Control-Allow-Headers", allowed)
		}
	}
}
