package sandbox_test

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"pixgraph/sandbox"
)

// TestFaultMatches: the calls that a fault matches fail with 503, and no others.
func TestFaultMatches(t *testing.T) {
	run(t, sandbox.Config{Records: 50}, func(t *testing.T, s *sandbox.Sandbox) {
		id := s.Ledger().Transactions()[0].ID
		other := s.Ledger().Transactions()[1].ID
		notification := s.Ledger().Notifications()[0].ID
		alice, bob := s.Token(), s.Token()
		var (
			deposit     = s.CoreURL() + "/deposit"
			withdrawal  = s.CoreURL() + "/withdrawal"
			transaction = s.CoreURL() + "/transaction/"
			request     = s.DispatcherURL() + "/request/"
		)
		tests := []struct {
			name   string
			fault  sandbox.Fault
			broken []string
			whole  []string
		}{
			{"all", sandbox.Fault{}, []string{deposit, withdrawal, transaction + id, request + notification}, nil},
			{"service", sandbox.Fault{Service: sandbox.Dispatcher}, []string{request + notification}, []string{deposit, transaction + id}},
			{"route", sandbox.Fault{Route: sandbox.RouteDeposit}, []string{deposit, deposit + "?page=2"}, []string{withdrawal, transaction + id}},
			{"id in the path", sandbox.Fault{ID: strings.ToUpper(id)}, []string{transaction + id}, []string{transaction + other, deposit}},
			{"id in the query", sandbox.Fault{Route: sandbox.RouteWithdrawal, ID: s.Ledger().Withdrawals()[0].ID},
				[]string{withdrawal + "?id=" + s.Ledger().Withdrawals()[0].ID}, []string{withdrawal}},
			{"token", sandbox.Fault{Token: bob}, nil, []string{deposit, transaction + id}},
			{"match", sandbox.Fault{Match: func(r *http.Request) bool { return r.URL.Query().Get("page") == "2" }},
				[]string{deposit + "?page=2"}, []string{deposit, deposit + "?page=1"}},
			{"all of them together", sandbox.Fault{Service: sandbox.Core, Route: sandbox.RouteTransaction, ID: id, Token: alice},
				[]string{transaction + id}, []string{transaction + other, deposit}},
		}
		for _, tt := range tests {
			tt.fault.Status = http.StatusServiceUnavailable
			undo := s.Inject(tt.fault)
			status := func(address string) int {
				got, err := fetch(t.Context(), newClient(), alice, address)
				if err != nil {
					t.Fatal(err)
				}
				return got.status
			}
			for _, address := range tt.broken {
				if got := status(address); got != http.StatusServiceUnavailable {
					t.Errorf("%s: %s: status %d, want 503", tt.name, address, got)
				}
			}
			for _, address := range tt.whole {
				if got := status(address); got != http.StatusOK {
					t.Errorf("%s: %s: status %d, want 200", tt.name, address, got)
				}
			}
			undo()
			undo()
			for _, address := range append(tt.broken, tt.whole...) {
				if got := status(address); got != http.StatusOK {
					t.Errorf("%s: %s: status %d after undo", tt.name, address, got)
				}
			}
		}
	})
}

func TestFaultCounts(t *testing.T) {
	tests := []struct {
		name         string
		after, times int
		want         []int
	}{
		{"until undone", 0, 0, []int{500, 500, 500, 500}},
		{"once", 0, 1, []int{500, 200, 200, 200}},
		{"after two", 2, 0, []int{200, 200, 500, 500}},
		{"twice after one", 1, 2, []int{200, 500, 500, 200}},
	}
	run(t, sandbox.Config{Records: 50}, func(t *testing.T, s *sandbox.Sandbox) {
		for _, tt := range tests {
			undo := s.Inject(sandbox.Fault{Route: sandbox.RouteDeposit, After: tt.after, Times: tt.times, Status: 500})
			for i, want := range tt.want {
				if got := get(t, s, s.CoreURL()+"/deposit").status; got != want {
					t.Errorf("%s, call %d: status %d, want %d", tt.name, i, got, want)
				}
				if got := get(t, s, s.CoreURL()+"/withdrawal").status; got != 200 {
					t.Errorf("%s, call %d of another route: status %d", tt.name, i, got)
				}
			}
			undo()
		}
	})
}

// TestFaultsAddUp: the waits and changes of all faults apply, in their order.
func TestFaultsAddUp(t *testing.T) {
	run(t, sandbox.Config{Records: 50}, func(t *testing.T, s *sandbox.Sandbox) {
		suffix := func(end string) func([]byte) []byte {
			return func(body []byte) []byte { return append(bytes.Clone(body), end...) }
		}
		s.Inject(sandbox.Fault{Header: http.Header{"X-First": {"1"}}, Mutate: suffix("a")})
		s.Inject(sandbox.Fault{Status: http.StatusTeapot, Body: []byte("body"), Mutate: suffix("b")})
		s.Inject(sandbox.Fault{Header: http.Header{"X-Last": {"1"}}, Mutate: suffix("c")})
		got := get(t, s, s.CoreURL()+"/deposit")
		if got.status != http.StatusTeapot || string(got.body) != "bodybc" {
			t.Errorf("status %d, body %q", got.status, got.body)
		}
		if got.header.Get("X-First") == "" || got.header.Get("X-Last") == "" {
			t.Errorf("the headers %v lack that of a fault", got.header)
		}
	})
}

// TestInjectRejects: an invalid fault is a mistake in a test. TestControlRejectsFaults has the others.
func TestInjectRejects(t *testing.T) {
	run(t, sandbox.Config{Records: 50}, func(t *testing.T, s *sandbox.Sandbox) {
		defer func() {
			if recover() == nil {
				t.Error("injected")
			}
		}()
		s.Inject(sandbox.Fault{Service: "kore"})
	})
}

// TestGateProvesOverlap: three calls are held at the same time, and then all are answered.
func TestGateProvesOverlap(t *testing.T) {
	run(t, sandbox.Config{Records: 50}, func(t *testing.T, s *sandbox.Sandbox) {
		gate := make(chan struct{})
		s.Inject(sandbox.Fault{Gate: gate})
		replies := send(t, s, "/deposit", "/withdrawal", "/deposit?page=2")
		await(t, s.AwaitCalls, 3)
		if c := s.Counters(); c.Open != 3 || c.Peak != 3 {
			t.Errorf("open %d, peak %d, want 3", c.Open, c.Peak)
		}
		for _, call := range s.Calls() {
			if call.Status != 0 || !call.Ended.IsZero() {
				t.Errorf("%s has a response before its gate was opened", call.Path)
			}
		}
		close(gate)
		for range 3 {
			if got := <-replies; got.err != nil || got.status != http.StatusOK {
				t.Errorf("status %d, error %v", got.status, got.err)
			}
		}
		if c := s.Counters(); c.Open != 0 || c.Peak != 3 {
			t.Errorf("open %d, peak %d, want 0 and 3", c.Open, c.Peak)
		}
	})
}

// TestGateReleases: a send releases one call, undo releases all.
func TestGateReleases(t *testing.T) {
	run(t, sandbox.Config{Records: 50}, func(t *testing.T, s *sandbox.Sandbox) {
		gate := make(chan struct{})
		undo := s.Inject(sandbox.Fault{Gate: gate})
		replies := send(t, s, "/deposit", "/deposit", "/deposit")
		await(t, s.AwaitCalls, 3)
		gate <- struct{}{}
		if got := <-replies; got.status != http.StatusOK {
			t.Errorf("status %d, error %v", got.status, got.err)
		}
		if c := s.Counters(); c.Open != 2 {
			t.Errorf("%d calls held, want 2", c.Open)
		}
		undo()
		for range 2 {
			if got := <-replies; got.status != http.StatusOK {
				t.Errorf("status %d, error %v", got.status, got.err)
			}
		}
	})
}

func TestLatency(t *testing.T) {
	run(t, sandbox.Config{Records: 50}, func(t *testing.T, s *sandbox.Sandbox) {
		const latency = time.Minute
		s.Inject(sandbox.Fault{Latency: latency})
		if got := get(t, s, s.CoreURL()+"/deposit"); got.status != http.StatusOK {
			t.Errorf("status %d", got.status)
		}
		call := s.Calls()[0]
		if took := call.Ended.Sub(call.Started); took != latency {
			t.Errorf("response after %v, want %v", took, latency)
		}
	})
}

// TestHeldCallEndsWithItsClient: a call that its client cancels ends.
func TestHeldCallEndsWithItsClient(t *testing.T) {
	run(t, sandbox.Config{Records: 50}, func(t *testing.T, s *sandbox.Sandbox) {
		for name, fault := range map[string]sandbox.Fault{
			"gate":      {Gate: make(chan struct{})},
			"latency":   {Latency: time.Hour},
			"hang":      {Kind: sandbox.FaultHang},
			"hang-body": {Kind: sandbox.FaultHangBody},
			"drip":      {Kind: sandbox.FaultDrip, Interval: time.Hour},
		} {
			s.ResetCalls()
			undo := s.Inject(fault)
			ctx, cancel := context.WithCancel(t.Context())
			failed := make(chan error)
			go func() {
				_, err := fetch(ctx, newClient(), s.Token(), s.CoreURL()+"/deposit")
				failed <- err
			}()
			await(t, s.AwaitCalls, 1)
			cancel()
			if err := <-failed; err == nil {
				t.Errorf("%s: the call got a response", name)
			}
			await(t, s.AwaitEnded, 1)
			if c := s.Counters(); c.Open != 0 {
				t.Errorf("%s: %d calls open", name, c.Open)
			}
			undo()
		}
	})
}

type outcome struct {
	reply
	err error
}

// send sends GETs to the paths of the core concurrently; the responses arrive in any order.
func send(t *testing.T, s *sandbox.Sandbox, paths ...string) <-chan outcome {
	t.Helper()
	token := s.Token()
	replies := make(chan outcome, len(paths))
	for _, p := range paths {
		go func() {
			got, err := fetch(t.Context(), newClient(), token, s.CoreURL()+p)
			replies <- outcome{got, err}
		}()
	}
	return replies
}

func await(t *testing.T, wait func(context.Context, int) error, n int) {
	t.Helper()
	if err := wait(t.Context(), n); err != nil {
		t.Fatalf("waiting for %d calls: %v", n, err)
	}
}
