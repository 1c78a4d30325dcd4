package sandbox_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
)

// TestForeignRequests: requests of other machines, and those that a page from elsewhere can make a browser send, are
// rejected without effect.
func TestForeignRequests(t *testing.T) {
	run(t, sandbox.Config{Records: 50}, func(t *testing.T, s *sandbox.Sandbox) {
		tests := []struct {
			name   string
			change func(*http.Request)
		}{
			{"Origin", func(r *http.Request) { r.Header.Set("Origin", "https://example.com") }},
			{"null Origin", func(r *http.Request) { r.Header.Set("Origin", "null") }},
			{"empty Origin", func(r *http.Request) { r.Header["Origin"] = []string{""} }},
			{"Origin that begins like loopback", func(r *http.Request) { r.Header.Set("Origin", "http://localhost.example.com") }},
			{"Origin with loopback as user", func(r *http.Request) { r.Header.Set("Origin", "http://localhost@example.com") }},
			{"Origin of another scheme on loopback", func(r *http.Request) { r.Header.Set("Origin", "ftp://localhost") }},
			{"two Origins", func(r *http.Request) { r.Header["Origin"] = []string{"http://localhost", "https://example.com"} }},
			{"image of another site", func(r *http.Request) {
				r.Header.Set("Sec-Fetch-Site", "cross-site")
				r.Header.Set("Sec-Fetch-Mode", "no-cors")
			}},
			{"fetch of another site", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }},
			{"name that resolves to loopback", func(r *http.Request) { r.Host = "rebind.example.com" }},
			{"name that resolves to loopback, with the port", func(r *http.Request) { r.Host = "rebind.example.com:" + r.URL.Port() }},
			{"name that begins like loopback", func(r *http.Request) { r.Host = "localhost.example.com" }},
			{"name that begins like the emulator's", func(r *http.Request) { r.Host = "10.0.2.2.example.com" }},
			{"name that begins like an address", func(r *http.Request) { r.Host = "127.0.0.1.example.com" }},
			{"a proxy", func(r *http.Request) { r.Header.Set("X-Forwarded-For", "127.0.0.1") }},
			{"another proxy", func(r *http.Request) { r.Header.Set("Forwarded", "for=192.0.2.1") }},
			{"no name", func(r *http.Request) { r.Host = "." }},
			{"address of all interfaces", func(r *http.Request) { r.Host = "0.0.0.0:8080" }},
			{"name with loopback as user", func(r *http.Request) { r.Host = "localhost:8080@example.com" }},
			{"name of another address", func(r *http.Request) { r.Host = "192.168.1.5:8080" }},
		}
		for _, tt := range tests {
			for method, path := range map[string]string{
				http.MethodPost: "/faults", http.MethodGet: "/calls", http.MethodDelete: "/calls", http.MethodOptions: "/faults",
			} {
				got := control(t, s, method, path, `{"status":500}`, tt.change)
				if got.status != http.StatusForbidden || got.header.Get("Access-Control-Allow-Origin") != "" {
					t.Errorf("%s: %s %s: status %d, %v", tt.name, method, path, got.status, got.header)
				}
			}
			for _, path := range []string{"", "/token", "/issuer" + issuer.PathDiscovery, "/issuer" + issuer.PathAuthorize} {
				if got := control(t, s, http.MethodGet, path, "", tt.change); got.status != http.StatusForbidden {
					t.Errorf("%s: %s: status %d", tt.name, path, got.status)
				}
			}
		}
		for _, peer := range []string{"192.0.2.1:1234", "[2001:db8::1]:1234", "[::ffff:192.0.2.1]:1234", "@", ""} {
			w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, s.URL()+"/faults", nil)
			r.RemoteAddr = peer
			if s.Handler().ServeHTTP(w, r); w.Code != http.StatusForbidden {
				t.Errorf("status %d for a client at %q", w.Code, peer)
			}
		}
		if got := get(t, s, s.CoreURL()+"/deposit").status; got != http.StatusOK {
			t.Errorf("status %d: a rejected fault affects calls", got)
		}
		if calls := len(s.Calls()); calls != 1 {
			t.Errorf("%d recorded calls", calls)
		}
	})
}

// TestLocalRequests: requests of this machine, and of pages that it serves, are answered, and these pages may read the
// response.
func TestLocalRequests(t *testing.T) {
	run(t, sandbox.Config{Records: 50}, func(t *testing.T, s *sandbox.Sandbox) {
		tests := []struct {
			name, host, origin string
			header             http.Header
		}{
			{"curl", "", "", nil},
			{"localhost", "localhost:8080", "", nil},
			{"IPv6", "[::1]:8080", "", nil},
			{"without a port", "localhost", "", nil},
			{"an application in Android's emulator", "10.0.2.2:8080", "", nil},
			{"a tunnel", "127.0.0.1:1", "", nil},
			{"a page of localhost", "localhost:8080", "http://localhost:5173", http.Header{"Sec-Fetch-Site": {"same-site"}}},
			{"a page of the address", "localhost:8080", "http://127.0.0.1:5173", http.Header{"Sec-Fetch-Site": {"cross-site"}}},
			{"a page with TLS", "localhost:8443", "https://localhost:8443", http.Header{"Sec-Fetch-Site": {"same-origin"}}},
			{"a page of IPv6", "localhost:8080", "http://[::1]:5173", http.Header{"Sec-Fetch-Site": {"cross-site"}}},
			{"the address bar", "localhost:8080", "", http.Header{"Sec-Fetch-Site": {"none"}, "Sec-Fetch-Mode": {"navigate"}}},
			{"a link", "localhost:8080", "", http.Header{"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"navigate"}}},
		}
		for _, tt := range tests {
			change := func(r *http.Request) {
				for name, values := range tt.header {
					r.Header[name] = values
				}
				if tt.host != "" {
					r.Host = tt.host
				}
				if tt.origin != "" {
					r.Header.Set("Origin", tt.origin)
				}
			}
			for _, path := range []string{"", "/calls", "/token", "/issuer" + issuer.PathJWKS} {
				got := control(t, s, http.MethodGet, path, "", change)
				if got.status != http.StatusOK || got.header.Get("Access-Control-Allow-Origin") != tt.origin ||
					got.header.Get("Vary") != "Origin" || got.header.Get("Cache-Control") != "no-store" {
					t.Errorf("%s: %s: status %d, %v", tt.name, path, got.status, got.header)
				}
			}
			got := control(t, s, http.MethodOptions, "/faults", "", change)
			if got.status != http.StatusNoContent || got.header.Get("Access-Control-Allow-Methods") != "GET, POST, DELETE" {
				t.Errorf("%s: preflight: status %d, %v", tt.name, got.status, got.header)
			}
		}
	})
}
