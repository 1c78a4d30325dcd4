package pipeline_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"pixgraph/internal/gatewaytest"
	"pixgraph/upstream/live"
)

// stream is a subscription over SSE.
type stream struct {
	t    *testing.T
	body io.ReadCloser
	in   *bufio.Reader
}

// event is an event of a stream.
type event struct {
	kind string // next, complete, or "" for the end of the connection
	gatewaytest.Response
	Live struct {
		Reason, ObservedAt string
		NextPollMs         *int
		Final              bool
	}
}

// subscribe begins a subscription with a token.
func (g *gateway) subscribe(t *testing.T, token, document string, vars ...variables) *stream {
	t.Helper()
	request := map[string]any{"query": document}
	if len(vars) > 0 {
		request["variables"] = vars[0]
	}
	body, err := json.Marshal(request)
	must(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.URL+"/graphql", bytes.NewReader(body))
	must(t, err)
	req.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"text/event-stream"}, "Authorization": {"Bearer " + token},
	}
	resp, err := http.DefaultClient.Do(req)
	must(t, err)
	t.Cleanup(func() { _ = resp.Body.Close() })
	if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		text, _ := io.ReadAll(resp.Body)
		t.Fatalf("status %d, %s", resp.StatusCode, text)
	}
	return &stream{t, resp.Body, bufio.NewReader(resp.Body)}
}

// next reads the next event. Comments are skipped.
func (s *stream) next() event {
	s.t.Helper()
	var e event
	var data []byte
	for {
		line, err := s.in.ReadString('\n')
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				s.t.Fatal(err)
			}
			return event{}
		}
		switch line = strings.TrimSuffix(line, "\n"); {
		case strings.HasPrefix(line, "event: "):
			e.kind = strings.TrimPrefix(line, "event: ")
		case strings.HasPrefix(line, "data:"):
			data = append(data, strings.TrimPrefix(strings.TrimPrefix(line, "data:"), " ")...)
		case line == "" && e.kind != "":
			e.T, e.Body = s.t, data
			if e.kind == "next" {
				must(s.t, json.Unmarshal(data, &e.Response))
				var shown struct {
					Extensions struct{ Live json.RawMessage }
				}
				must(s.t, json.Unmarshal(data, &shown))
				must(s.t, json.Unmarshal(shown.Extensions.Live, &e.Live))
			}
			return e
		}
	}
}

// want reads the next event and compares its reason.
func (s *stream) want(reason live.Reason) event {
	s.t.Helper()
	e := s.next()
	if e.Live.Reason != string(reason) {
		s.t.Fatalf("event %q %s, want %s", e.kind, e.Body, reason)
	}
	return e
}

func (s *stream) wantComplete() {
	s.t.Helper()
	if e := s.next(); e.kind != "complete" {
		s.t.Errorf("event %q %s, want complete", e.kind, e.Body)
	}
	if e := s.next(); e.kind != "" {
		s.t.Errorf("event %q %s after complete", e.kind, e.Body)
	}
}

// quick makes the reads of streams frequent.
func quick(o *options) { o.Pipeline.Live.Interval = 20 * time.Millisecond }

const watchTransaction = `subscription($id: ID!, $until: [TransactionStatus!]) { payment: transaction(id: $id, until: $until) { ...F } }
	fragment F on Transaction { id status amount payer { name } statusHistory { status } }`

// TestSubscription: the events of a stream are what the query responds, from the snapshot to the status that ends it.
func TestSubscription(t *testing.T) {
	g := start(t, quick)
	id := g.Box.Samples().OpenTransaction
	s := g.subscribe(t, g.Token, watchTransaction, variables{"id": id, "until": []string{"PAID"}})
	query := strings.Replace(watchTransaction, "subscription($id: ID!, $until: [TransactionStatus!])", "query($id: ID!)", 1)
	query = strings.Replace(query, ", until: $until", "", 1)
	e := s.want(live.Snapshot)
	for e.Live.Reason != string(live.Reached) {
		want := g.Query(query, variables{"id": id}).WantOK()
		if got, want := dataIn(t, e.Body), dataIn(t, want.Body); got != want {
			t.Errorf("the event has %s, the query responds %s", got, want)
		}
		g.Box.Ledger().Step()
		e = s.next()
	}
	if e.Text("payment", "status") != "PAID" || !e.Live.Final || e.Live.NextPollMs != nil {
		t.Errorf("the last event is %s", e.Body)
	}
	s.wantComplete()
}

// dataIn is the data of a response, as it was written.
func dataIn(t *testing.T, body []byte) string {
	t.Helper()
	var shown struct{ Data json.RawMessage }
	must(t, json.Unmarshal(body, &shown))
	return string(shown.Data)
}
