package serve_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/sandbox"
	"pixgraph/upstream/live"
)

// TestUntil: which changes end a stream, and what its last event has.
func TestUntil(t *testing.T) {
	const past, future = "2020-01-01T00:00:00Z", "2040-01-01T00:00:00Z" // of the records' dates
	tests := []struct {
		name          string
		since         string
		before, after []string // statuses before the stream begins, and between two of its reads
		reasons       []live.Reason
		last          string
	}{
		{"met by the snapshot", "", []string{"PAID"}, nil, []live.Reason{live.Reached}, "PAID"},
		{"met by the snapshot, after since", past, []string{"PAID"}, nil, []live.Reason{live.Reached}, "PAID"},
		{"met by the snapshot, before since", future, []string{"PAID"}, nil, []live.Reason{live.Reached}, "PAID"},
		{"in the history, after since", past, []string{"PAID", "REFUNDED"}, nil, []live.Reason{live.Reached}, "REFUNDED"},
		{"in the history, before since", future, []string{"PAID", "REFUNDED"}, []string{"INFRACTION"}, []live.Reason{live.Snapshot, live.Changed}, "INFRACTION"},
		{"in the history, without since", "", []string{"PAID", "REFUNDED"}, []string{"INFRACTION"}, []live.Reason{live.Snapshot, live.Changed}, "INFRACTION"},
		{"between two reads", "", nil, []string{"PAID", "REFUNDED"}, []live.Reason{live.Snapshot, live.Reached}, "REFUNDED"},
		{"a second time", "", []string{"PAID", "REFUNDED"}, []string{"PAID", "BLOCKED"}, []live.Reason{live.Snapshot, live.Reached}, "BLOCKED"},
	}
	const document = `subscription($id: ID!, $since: DateTime) { transaction(id: $id, until: [PAID], since: $since) { status } }`
	for _, tt := range tests {
		bubble(t, tt.name, func(t *testing.T) {
			g := start(t, small, slowReads)
			id := g.pending()
			set := func(statuses []string) {
				for _, status := range statuses {
					g.Box.Ledger().SetStatus(id, status)
				}
			}
			set(tt.before)
			vars := variables{"id": id}
			if tt.since != "" {
				vars["since"] = tt.since
			}
			s := g.subscribe(t, g.Token, document, vars)
			var e event
			for i, reason := range tt.reasons {
				e = s.want(reason)
				if i == 0 && len(tt.reasons) > 1 {
					set(tt.after)
					g.nudge(http.MethodPost, nudgeSecret, id)
				}
			}
			final := tt.reasons[len(tt.reasons)-1] == live.Reached
			if e.Text("transaction", "status") != tt.last || e.Live.Final != final || (e.Live.NextPollMs == nil) != final {
				t.Errorf("%s", e.Body)
			}
			if final {
				s.wantComplete()
			}
		})
	}
}

// TestUntilOfDatesWithoutSeconds: entries of the history count in each form of ISO 8601 that has an offset.
func TestUntilOfDatesWithoutSeconds(t *testing.T) {
	runWith(t, slowReads, func(t *testing.T, g *gateway) {
		id := g.pending()
		g.Box.Ledger().SetStatus(id, "PAID")
		g.Box.Ledger().SetStatus(id, "REFUNDED")
		defer g.replace(sandbox.RouteTransaction, `(T\d\d:\d\d):[\d.]+Z"`, `${1}Z"`)()
		const document = `subscription($id: ID!) { transaction(id: $id, until: [PAID], since: "2000-01-01T00:00Z") { updatedAt } }`
		e := g.subscribe(t, g.Token, document, variables{"id": id}).want(live.Reached)
		if at := e.Text("transaction", "updatedAt"); len(at) != len("2000-01-01T00:00Z") {
			t.Errorf("%s: not the date of the test", at)
		}
	})
}

// TestUntilSinceEachForm: each time that an event has as updatedAt is accepted as since, whatever its offset looks
// like, and the entries of the history from then on count.
func TestUntilSinceEachForm(t *testing.T) {
	for _, offset := range []string{"Z", "z", "+00:00", "-00:00", "+0000", "+00", ""} {
		bubble(t, offset, func(t *testing.T) {
			g := start(t, small, slowReads)
			id := g.pending()
			defer g.replace(sandbox.RouteTransaction, `(T\d\d:\d\d:[\d.]+)Z"`, `${1}`+offset+`"`)()
			const document = `subscription($id: ID!, $since: DateTime) {
				transaction(id: $id, until: [PAID], since: $since) { status updatedAt }
			}`
			e := g.subscribe(t, g.Token, document, variables{"id": id}).want(live.Snapshot)
			since := e.Text("transaction", "updatedAt")
			if !strings.HasSuffix(since, offset) {
				t.Fatalf("%s: not the offset of the test", since)
			}
			g.Box.Ledger().SetStatus(id, "PAID")
			g.Box.Ledger().SetStatus(id, "REFUNDED")
			g.subscribe(t, g.Token, document, variables{"id": id, "since": since}).want(live.Reached)
		})
	}
}

// TestFirstOfCohortLeaves: equal streams of a token continue when the one that began first ends.
func TestFirstOfCohortLeaves(t *testing.T) {
	runWith(t, quick, func(t *testing.T, g *gateway) {
		id := g.Box.Samples().OpenTransaction
		first, second := g.watchRecord(t, g.Token, id), g.watchRecord(t, g.Token, id)
		if s := g.Handler.Live(); s.Cohorts != 1 {
			t.Fatalf("%+v", s)
		}
		must(t, first.body.Close())
		g.awaitStreams(1)
		g.Box.Ledger().Step()
		second.want(live.Changed)
	})
}

// TestRestlessMembers: members that differ at each read, though nothing happened, are no change.
func TestRestlessMembers(t *testing.T) {
	runWith(t, quick, func(t *testing.T, g *gateway) {
		id := g.pending() // without receipts
		var reads atomic.Int64
		duration := regexp.MustCompile(`"durationInMilliseconds":\d+`)
		defer g.Box.Inject(sandbox.Fault{Route: sandbox.RouteTransaction, Mutate: func(body []byte) []byte {
			n := reads.Add(1)
			body = duration.ReplaceAll(body, fmt.Appendf(nil, `"durationInMilliseconds":%d`, n))
			receipt := fmt.Sprintf(`{"url":"https://receipts.example.com/%d","expirationDate":"2026-01-01T00:00:%02dZ"}`, n, n%60)
			return append(body[:len(body)-1:len(body)-1], `,"paymentReceipt":`+receipt+`,"refundReceipt":`+receipt+`}`...)
		}})()
		const document = `subscription($id: ID!) { transaction(id: $id) {
			status statusHistory { status durationInMilliseconds } paymentReceipt { url } refundReceipt { url expirationDate }
		} }`
		s := g.subscribe(t, g.Token, document, variables{"id": id})
		first := s.want(live.Snapshot)
		g.awaitReads(20)
		g.Box.Ledger().SetStatus(id, "PIX_QRCODE_GENERATED")
		second := s.want(live.Changed)
		if second.Text("transaction", "status") != "PIX_QRCODE_GENERATED" ||
			first.Text("transaction", "paymentReceipt", "url") == second.Text("transaction", "paymentReceipt", "url") {
			t.Errorf("%s, then %s", first.Body, second.Body)
		}
	})
}

// TestFacts: the field live of the record that is watched has what extensions.live has, whatever its key and in
// fragments, and is no reason for an event. Elsewhere it is null, and so is what looks like it.
func TestFacts(t *testing.T) {
	runWith(t, quick, func(t *testing.T, g *gateway) {
		id := g.transactionIDs(1)[0]
		g.Box.Ledger().SetStatus(id, "PENDING")
		g.replace(sandbox.RouteTransaction, `"metadata":{`, `"metadata":{"live":null,"facts":null,`)
		s := g.subscribe(t, g.Token, `subscription($id: ID!, $no: Boolean = false) { payment: transaction(id: $id, until: [PAID]) {
			live: status facts: live metadata ...F none: live @include(if: $no) notifications { nodes { transaction { live } } } } }
			fragment F on Transaction { ... { again: live } statusHistory { status } }`, variables{"id": id})
		want := func(e event) {
			t.Helper()
			var got struct {
				Data struct {
					Payment struct {
						Live          string
						Facts, Again  json.RawMessage
						None          json.RawMessage
						Metadata      map[string]any
						Notifications struct {
							Nodes []struct{ Transaction map[string]any }
						}
					}
				}
				Extensions struct{ Live json.RawMessage }
			}
			must(t, json.Unmarshal(e.Body, &got))
			p, facts := got.Data.Payment, string(got.Extensions.Live)
			if facts == "" || string(p.Facts) != facts || string(p.Again) != facts || p.None != nil || p.Metadata["live"] != nil ||
				p.Metadata["facts"] != nil || p.Live == "" || len(p.Notifications.Nodes) == 0 {
				t.Errorf("%s", e.Body)
			}
			for _, n := range p.Notifications.Nodes {
				if live, ok := n.Transaction["live"]; !ok || live != nil {
					t.Errorf("%v", n)
				}
			}
		}
		want(s.want(live.Snapshot))
		time.Sleep(time.Minute) // some reads without a change
		g.Box.Ledger().SetStatus(id, "PIX_QRCODE_GENERATED")
		want(s.want(live.Changed))
		g.Box.Ledger().SetStatus(id, "PAID")
		want(s.want(live.Reached))
		s.wantComplete()
		if r := g.Query(`query($id: ID!) { transaction(id: $id) { live } }`, variables{"id": id}).WantOK(); !strings.Contains(string(r.Body), `"live":null`) {
			t.Errorf("%s", r.Body)
		}
	})
}
