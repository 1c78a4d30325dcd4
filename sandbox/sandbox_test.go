package sandbox_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/internal/leaktest"
	"pixgraph/internal/memnet"
	"pixgraph/sandbox"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// network connects clients to sandboxes.
var network memnet.Network

// run runs a test with a sandbox and a clock of its own, which moves on when all goroutines wait.
func run(t *testing.T, cfg sandbox.Config, test func(*testing.T, *sandbox.Sandbox)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, start(t, cfg)) })
}

// start starts a sandbox with few records that do not move, unless cfg sets that.
func start(t *testing.T, cfg sandbox.Config) *sandbox.Sandbox {
	t.Helper()
	if cfg.MoveEvery == 0 {
		cfg.MoveEvery = -1
	}
	cfg.Listen, cfg.Dial = network.Listen, network.DialContext
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
		Transport:     &http.Transport{DialContext: network.DialContext, DisableKeepAlives: true, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
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
	run(t, sandbox.Config{Records: 50}, func(t *testing.T, s *sandbox.Sandbox) {
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
	})
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

// TestMovement: payments move by themselves until they rest.
func TestMovement(t *testing.T) {
	run(t, sandbox.Config{Records: 50, MoveEvery: time.Second}, func(t *testing.T, s *sandbox.Sandbox) {
		passes := func(d time.Duration) (moved bool) {
			before := get(t, s, s.CoreURL()+"/deposit?perPage=100").body
			time.Sleep(d)
			synctest.Wait()
			return !bytes.Equal(before, get(t, s, s.CoreURL()+"/deposit?perPage=100").body)
		}
		if !passes(time.Second) {
			t.Error("no payment moved")
		}
		for range 2 {
			if got := control(t, s, http.MethodDelete, "/step", "", nil); got.status != http.StatusNoContent {
				t.Errorf("status %d", got.status)
			}
		}
		if passes(time.Hour) {
			t.Error("a payment moved")
		}
	})
}

// TestClose: open, hanging calls end, no goroutine leaks (TestMain checks), and a second Close does nothing.
func TestClose(t *testing.T) {
	run(t, sandbox.Config{Records: 50}, func(t *testing.T, s *sandbox.Sandbox) {
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
		await(t, s.AwaitCalls, len(paths))
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
	})
}
