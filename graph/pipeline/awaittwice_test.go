package pipeline_test

import "testing"

// TestAwaitTwice: an operation that waits twice for a record responds with the newest reading of it.
func TestAwaitTwice(t *testing.T) {
	for name, until := range map[string]string{
		"both reached":  `[PAID]`,
		"one timed out": `[REFUNDED], timeoutSeconds: 2`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := start(t, quick)
			id := g.Box.Samples().OpenTransaction
			g.stepTo(id, "PENDING")
			waiting := g.waiting(1, g.Token, `query($id: ID!) {
				early: awaitTransaction(id: $id, until: [PENDING]) { status }
				late: awaitTransaction(id: $id, until: `+until+`) { status }
			}`, variables{"id": id})
			for g.Handler.Live().Events["REACHED"] == 0 {
				g.awaitStreams(1)
			}
			g.Box.Ledger().Step()
			g.Box.Ledger().Step()
			if a := (<-waiting).WantOK(); a.Text("early", "status") != "PAID" || a.Text("late", "status") != "PAID" {
				t.Errorf("%s", a.Body)
			}
		})
	}
}
