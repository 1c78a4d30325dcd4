package sandbox

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestCallsAreBounded: the recorder keeps the newest calls in their order.
// The test uses the recorder directly, because that many calls over HTTP take
// seconds.
func TestCallsAreBounded(t *testing.T) {
	s := &Sandbox{recorder: newRecorder()}
	const sent = 2*keptCalls + 7
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	for i := range sent {
		r.URL.Path = fmt.Sprintf("/%d", i)
		end := s.recorder.begin(Core, r)
		end(200)
		end(500) // only the first end counts
	}
	calls := s.Calls()
	if want := (Counters{Core: sent, Peak: 1}); len(calls) != keptCalls || s.Counters() != want {
		t.Fatalf("%d calls kept, counters %+v", len(calls), s.Counters())
	}
	for i, c := range calls {
		if want := fmt.Sprintf("/%d", sent-keptCalls+i); c.Path != want || c.Status != 200 {
			t.Fatalf("call %d is %s with status %d, want %s", i, c.Path, c.Status, want)
		}
	}
}
