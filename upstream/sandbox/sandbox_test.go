package sandbox_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"pixgraph/internal/leaktest"
	"pixgraph/upstream/sandbox"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// patience bounds waits that only a failing test would not end.
const patience = 2 * time.Minute

// start starts a sandbox with few records that do not move, unless cfg sets that.
func start(t *testing.T, cfg sandbox.Config) *sandbox.Sandbox {
	t.Helper()
	if cfg.MoveEvery == 0 {
		cfg.MoveEvery = -1
	}
	s, err := sandbox.Start(cfg)
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

// newClient creates a client without idle connections, redirects and
// transparent decompression, so that a test sees the bytes on the wire and
// leaks no goroutine.
func newClient() *http.Client {
	return &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       patience,
	}
}

// reply is a complete response.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// fetch sends a GET; the error is that of the exchange or of reading the body.
func fetch(ctx context.Context, client *http.Client, token, address string) (reply, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return reply{}, err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return roundTrip(client, req)
}

func roundTrip(client *http.Client, req *http.Request) (reply, error) {
	resp, err := client.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, resp.Header, body}, err
}

// get is fetch with full access; any error fails the test.
func get(t *testing.T, s *sandbox.Sandbox, address string) reply {
	t.Helper()
	return getAs(t, s.Token(), address)
}

// getAs is get with another token.
func getAs(t *testing.T, token, address string) reply {
	t.Helper()
	got, err := fetch(t.Context(), newClient(), token, address)
	if err != nil {
		t.Fatalf("GET: %v", err)
	}
	return got
}

func TestStart(t *testing.T) {
	s := start(t, sandbox.Config{})
	for name, address := range map[string]string{"core": s.CoreURL(), "dispatcher": s.DispatcherURL(), "issuer": s.IssuerURL()} {
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "http" || u.Hostname() != "127.0.0.1" || u.Port() == "" {
			t.Errorf("%s is at %q, want http on a port of 127.0.0.1", name, address)
		}
		if name != "issuer" && strings.Trim(u.Path, "/") == "" {
			t.Errorf("%s is at %q, want a base path", name, address)
		}
	}
	discovery, err := fetch(t.Context(), newClient(), "", s.IssuerURL()+"/.well-known/openid-configuration")
	if err != nil || discovery.status != http.StatusOK || !bytes.Contains(discovery.body, []byte(s.IssuerURL())) {
		t.Errorf("discovery: status %d, error %v", discovery.status, err)
	}
	if len(s.Calls()) != 0 {
		t.Error("a call of the issuer was recorded as a REST call")
	}
}

func TestStartRejectsConfig(t *testing.T) {
	tests := []struct {
		name string
		cfg  sandbox.Config
		want string
	}{
		{"negative records", sandbox.Config{Records: -1}, "Records"},
		{"negative largest page", sandbox.Config{MaxPerPage: -1}, "MaxPerPage"},
		{"negative page", sandbox.Config{DefaultPerPage: -1}, "DefaultPerPage"},
		{"page above the largest", sandbox.Config{DefaultPerPage: 101}, "DefaultPerPage"},
		{"one name for two parameters", sandbox.Config{PageParam: "p", PerPageParam: "p"}, "PageParam"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := sandbox.Start(tt.cfg)
			if err == nil {
				_ = s.Close()
				t.Fatal("started")
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %q does not name %s", err, tt.want)
			}
		})
	}
}

// TestMovement: payments move by themselves until they rest. Only the timeout of a failing test depends on time.
func TestMovement(t *testing.T) {
	s := start(t, sandbox.Config{MoveEvery: time.Millisecond})
	before := get(t, s, s.CoreURL()+"/deposit?perPage=100").body
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		now, err := fetch(ctx, newClient(), s.Token(), s.CoreURL()+"/deposit?perPage=100")
		if err != nil {
			t.Fatalf("no payment moved: %v", err)
		}
		if !bytes.Equal(before, now.body) {
			break
		}
	}
	for range 2 {
		if got := control(t, s, http.MethodDelete, "/step", "", nil); got.status != http.StatusNoContent {
			t.Errorf("status %d", got.status)
		}
	}
	rest := get(t, s, s.CoreURL()+"/deposit?perPage=100").body
	for range 50 { // each takes about as long as a step lasts
		if !bytes.Equal(rest, get(t, s, s.CoreURL()+"/deposit?perPage=100").body) {
			t.Fatal("a payment moved")
		}
	}
}

// TestClose: open, hanging calls end, no goroutine leaks (TestMain checks), and a second Close does nothing.
func TestClose(t *testing.T) {
	s, err := sandbox.Start(sandbox.Config{})
	if err != nil {
		t.Fatal(err)
	}
	s.Inject(sandbox.Fault{Route: sandbox.RouteDeposit, Kind: sandbox.FaultHang})
	s.Inject(sandbox.Fault{Route: sandbox.RouteWithdrawal, Gate: make(chan struct{})})
	s.Inject(sandbox.Fault{Route: sandbox.RouteTransaction, Latency: time.Hour})
	paths := []string{"/deposit", "/withdrawal", "/transaction/x"}
	ended := make(chan error, len(paths))
	for _, path := range paths {
		go func() {
			_, err := fetch(t.Context(), newClient(), s.Token(), s.CoreURL()+path)
			ended <- err
		}()
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := s.AwaitCalls(ctx, len(paths)); err != nil {
		t.Fatalf("AwaitCalls: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	for range paths {
		if err := <-ended; err == nil {
			t.Error("a held call got a response from Close")
		}
	}
	for _, c := range s.Calls() {
		if c.Ended.IsZero() || c.Status != 0 {
			t.Errorf("%s: status %d, ended %v; want an end without a status", c.Path, c.Status, c.Ended)
		}
	}
	if err := s.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}
