package http1_test

import (
	"context"
	"crypto/tls"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/internal/leaktest"
	"pixgraph/upstream/http1"
)

// TestMain fails if a test leaves a goroutine behind.
func TestMain(m *testing.M) { leaktest.Main(m) }

func get(host getter, changes ...func(*http1.Request)) (http1.Answer, error) {
	request := http1.Request{Target: "/", Deadline: time.Now().Add(timeout), MaxBody: 1000}
	for _, change := range changes {
		change(&request)
	}
	return host.Get(context.Background(), request)
}

// mustGet fails the test unless a request succeeds.
func mustGet(t *testing.T, host getter, changes ...func(*http1.Request)) {
	t.Helper()
	_, err := get(host, changes...)
	must(t, err)
}

// getter is a Host, or netHTTP.
type getter interface {
	Get(context.Context, http1.Request) (http1.Answer, error)
}

func newHost(t testing.TB, s *server, changes ...func(*http1.Config)) *http1.Host {
	t.Helper()
	config := http1.Config{URL: s.url, MaxIdle: 10, Dial: network.DialContext, TLS: func() *tls.Config { return &tls.Config{} }}
	for _, change := range changes {
		change(&config)
	}
	host, err := http1.New(config)
	must(t, err)
	t.Cleanup(host.CloseIdle)
	return host
}

// timeout is the deadline of requests that get a response.
const timeout = 24 * time.Hour

// soon sets a deadline for a request that never gets a response.
func soon(r *http1.Request) { r.Deadline = time.Now().Add(time.Second) }

// bubble runs a subtest with a clock of its own, which moves on when all goroutines wait.
func bubble(t *testing.T, name string, test func(*testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
}

func TestRequestBytes(t *testing.T) {
	tests := []struct {
		name   string
		config func(*http1.Config)
		change func(*http1.Request)
		want   []string
	}{
		{
			"plain", func(*http1.Config) {}, func(r *http1.Request) { r.Target = "/a%2Fb?c=d+e" },
			[]string{"GET /a%2Fb?c=d+e HTTP/1.1", "Host: <host>", "Accept-Encoding: identity"},
		},
		{
			"with all fields", func(c *http1.Config) {
				c.Compression, c.Fields = true, []http1.Field{{Name: "Accept", Value: "text/plain"}}
			},
			func(r *http1.Request) {
				r.Bearer, r.Fields = "token", []http1.Field{{Name: "X-Request-Id", Value: "1"}, {Name: "Traceparent"}, {Name: "X-Last", Value: "é"}}
			},
			[]string{"GET / HTTP/1.1", "Host: <host>", "Accept-Encoding: gzip", "Accept: text/plain", "Authorization: Bearer token", "X-Request-Id: 1", "X-Last: é"},
		},
	}
	for _, tt := range tests {
		bubble(t, tt.name, func(t *testing.T) {
			sent := make(chan string, 2)
			s := serve(t, func(p *peer) {
				buffer := make([]byte, 4096)
				for { // each request is one write
					n, err := p.Read(buffer)
					if err != nil {
						return
					}
					sent <- string(buffer[:n])
					p.write(ok("{}"))
				}
			})
			host := newHost(t, s, tt.config)
			for range 2 {
				mustGet(t, host, tt.change)
				want := strings.ReplaceAll(strings.Join(tt.want, "\r\n"), "<host>", s.url.Host) + "\r\n\r\n"
				if got := <-sent; got != want {
					t.Errorf("sent %q, want %q", got, want)
				}
			}
		})
	}
}

// TestControlCharactersAreRejected: a control character, which could start another line or request, is rejected before
// anything is sent.
func TestControlCharactersAreRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, (*peer).gone)
		host := newHost(t, s)
		for _, bad := range []string{"a\r\nb", "a\nb", "\r", "a\x00", "\ta", "\x1b", "\x7f"} {
			changes := map[string]func(*http1.Request){
				"target": func(r *http1.Request) { r.Target = "/" + bad },
				"bearer": func(r *http1.Request) { r.Bearer = bad },
				"value":  func(r *http1.Request) { r.Fields = []http1.Field{{Name: "A", Value: bad}} },
				"name":   func(r *http1.Request) { r.Fields = []http1.Field{{Name: bad, Value: "a"}} },
			}
			for name, change := range changes {
				if answer, err := get(host, change); !errors.Is(err, http1.ErrField) || answer.Attempts != 0 {
					t.Errorf("%s %q: %v", name, bad, err)
				}
			}
			if _, err := http1.New(http1.Config{URL: s.url, Fields: []http1.Field{{Name: "A", Value: bad}}}); err == nil {
				t.Errorf("New accepts %q", bad)
			}
		}
		if got := s.connections.Load(); got != 0 {
			t.Errorf("%d connections, want none", got)
		}
	})
}

// TestHostHeader: the Host header is the URL's host without the zone of an IPv6 address.
func TestHostHeader(t *testing.T) {
	tests := []struct{ name, host, want string }{
		{"name", "api.example", "api.example"},
		{"name and port", "api.example:8080", "api.example:8080"},
		{"IPv6", "[::1]:8080", "[::1]:8080"},
		{"IPv6 with a zone", "[fe80::1%eth0]:8080", "[fe80::1]:8080"},
		{"IPv6 with a zone and no port", "[fe80::1%eth0]", "[fe80::1]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := http1.Authority(tt.host); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
