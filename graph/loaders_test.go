package graph

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/request"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// TestLoadersDoNotWait: no level of links waits for a batch. The clock of the bubble advances only when all goroutines
// wait.
func TestLoadersDoNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fetched, execution := 0, &Execution{Call: &request.Call{}}
		type record = upstream.Transaction
		inner := loader[record]{execution: execution, lookup: &lookup[record]{
			noun: "record", id: upstream.NotificationID,
			fetch: func(*client.Session, context.Context, string) (*record, error) { fetched++; return &record{}, nil },
		}}
		outer := loader[record]{execution: execution, lookup: &lookup[record]{
			noun: "record", id: upstream.UUID,
			fetch: func(_ *client.Session, ctx context.Context, id string) (*record, error) {
				return inner.start(ctx, id, currentPath(ctx))()
			},
		}}
		began := time.Now()
		for _, id := range []string{"a", "A", "b", "a"} {
			if _, err := outer.start(t.Context(), id, currentPath(t.Context()))(); err != nil {
				t.Fatal(err)
			}
		}
		for _, id := range []string{"c", "B", "C"} { // as root fields do
			if _, err := outer.load(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := outer.start(t.Context(), "c", currentPath(t.Context()))(); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(began); waited != 0 || fetched != 3 {
			t.Errorf("waited %v for %d records, want 3 without a wait", waited, fetched)
		}
	})
}

// TestPanicOfARootField: a field that waits for the record that a root field fetches gets an error if that panics.
func TestPanicOfARootField(t *testing.T) {
	ctx := t.Context()
	l := loader[upstream.Transaction]{execution: &Execution{Call: &request.Call{}}, lookup: &lookup[upstream.Transaction]{
		id: upstream.UUID, fetch: func(*client.Session, context.Context, string) (*upstream.Transaction, error) { panic("bug") },
	}}
	func() {
		defer func() { _ = recover() }()
		_, _ = l.load(ctx, "a")
	}()
	if _, err := l.start(ctx, "A", currentPath(ctx))(); err == nil {
		t.Error("the record is null without an error")
	}
}
