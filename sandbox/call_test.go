package sandbox_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"

	"pixgraph/sandbox"
)

// TestCalls: every REST call is recorded, including rejected ones.
func TestCalls(t *testing.T) {
	run(t, sandbox.Config{Records: 50}, func(t *testing.T, s *sandbox.Sandbox) {
		id := s.Ledger().Notifications()[0].ID
		token := s.Token("")
		tests := []struct {
			name, address, token string
			want                 sandbox.Call
		}{
			{"successful", s.CoreURL() + "/deposit?status=PAID&status=FAILED&startDate=2024-01-31T10:00:00%2B03:00", token,
				sandbox.Call{Service: sandbox.Core, Path: "/core/v1/deposit", RawQuery: "status=PAID&status=FAILED&startDate=2024-01-31T10:00:00%2B03:00", Status: 200}},
			{"without a bearer", s.CoreURL() + "/withdrawal", "", sandbox.Call{Service: sandbox.Core, Path: "/core/v1/withdrawal", Status: 401}},
			{"without the scope", s.DispatcherURL() + "/request/" + id, token,
				sandbox.Call{Service: sandbox.Dispatcher, Path: "/dispatcher/v1/request/" + id, Status: 403}},
			{"invalid", s.CoreURL() + "/transaction/a%2Fb", token, sandbox.Call{Service: sandbox.Core, Path: "/core/v1/transaction/a%2Fb", Status: 422}},
			{"unknown path", s.CoreURL() + "/x", token, sandbox.Call{Service: sandbox.Core, Path: "/core/v1/x", Status: 404}},
		}
		for i, tt := range tests {
			if _, err := fetch(t.Context(), newClient(), tt.token, tt.address); err != nil {
				t.Fatal(err)
			}
			calls := s.Calls()
			if len(calls) != i+1 {
				t.Fatalf("%s: %d calls recorded, want %d", tt.name, len(calls), i+1)
			}
			got := calls[i]
			if got.Service != tt.want.Service || got.Method != http.MethodGet || got.Path != tt.want.Path ||
				got.RawQuery != tt.want.RawQuery || got.Status != tt.want.Status {
				t.Errorf("%s: recorded %+v", tt.name, got)
			}
			if want := ""; tt.token != "" {
				want = "Bearer " + tt.token
				if got.Header.Get("Authorization") != want {
					t.Errorf("%s: the Authorization differs from the one sent", tt.name)
				}
			}
			if got.Started.IsZero() || got.Ended.Before(got.Started) {
				t.Errorf("%s: from %v to %v", tt.name, got.Started, got.Ended)
			}
			if i > 0 && got.Started.Before(calls[i-1].Ended) {
				t.Errorf("%s: overlaps the previous call, which had ended", tt.name)
			}
		}
		if got := s.Calls()[0].Query["status"]; !slices.Equal(got, []string{"PAID", "FAILED"}) {
			t.Errorf("Query status %q", got)
		}
		if got, want := s.Counters(), (sandbox.Counters{Core: 4, Dispatcher: 1, Peak: 1}); got != want {
			t.Errorf("counters %+v, want %+v", got, want)
		}
		s.ResetCalls()
		if len(s.Calls()) != 0 || s.Counters() != (sandbox.Counters{}) {
			t.Errorf("%d calls, counters %+v after a reset", len(s.Calls()), s.Counters())
		}
	})
}

// TestResetWithOpenCalls: a call from before a reset counts as open, and its end is not counted after the reset.
func TestResetWithOpenCalls(t *testing.T) {
	run(t, sandbox.Config{Records: 50}, func(t *testing.T, s *sandbox.Sandbox) {
		gate := make(chan struct{})
		s.Inject(sandbox.Fault{Gate: gate, Times: 1})
		replies := send(t, s, "/deposit")
		await(t, s.AwaitCalls, 1)
		s.ResetCalls()
		if got, want := s.Counters(), (sandbox.Counters{Open: 1, Peak: 1}); got != want {
			t.Errorf("counters %+v, want %+v", got, want)
		}
		close(gate)
		if got := <-replies; got.err != nil {
			t.Error(got.err)
		}
		if got := s.Counters(); got.Open != 0 || got.Core != 0 {
			t.Errorf("counters %+v", got)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for name, wait := range map[string]func(context.Context, int) error{"AwaitCalls": s.AwaitCalls, "AwaitEnded": s.AwaitEnded} {
			if err := wait(ctx, 1); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: error %v, want that of its context", name, err)
			}
			if err := wait(ctx, 0); err != nil {
				t.Errorf("%s of none: %v", name, err)
			}
		}
	})
}
