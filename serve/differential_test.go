package serve_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/auth"
	"pixgraph/graph/guard/limits"
	"pixgraph/graph/guard/persisted"
	"pixgraph/internal/memnet"
	"pixgraph/sandbox/ledger"
	"pixgraph/serve"
	"pixgraph/test/gatewaytest"
	"pixgraph/upstream/client"
	"pixgraph/upstream/live"
)

// Two gateways must write the same bytes: for generated queries, over records of the sandbox with generated errors.

// The flags of generated documents. `make differential` compares many more.
var (
	generatedCount = flag.Int("generated", enoughGenerated, "generated documents and records to compare")
	generatedSeed  = flag.Uint64("seed", gatewaytest.Seed(), "the seed of the first document; 0 for a random one")
)

// enoughGenerated documents have responses of each kind, whatever their seeds are.
const enoughGenerated = 150

// firstSeed returns the seed of the first of n documents, and prints the flags that repeat them.
func firstSeed(t testing.TB, flag string, n int) uint64 {
	t.Helper()
	seed := *generatedSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-%s %d -seed %d", flag, n, seed)
	return seed
}

func TestGeneratedQueries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDifferential(t, true)
		count, failing := *generatedCount, 0
		first := firstSeed(t, "generated", count)
		for i := range count {
			failing += min(d.wantSame(t, first+uint64(i)), 1)
		}
		t.Logf("%d queries, %d of them with errors, %d nulls that need one", count, failing, d.nulls)
		if count >= enoughGenerated && (failing == 0 || failing == count || d.nulls == 0) {
			t.Errorf("%[2]d of %[1]d queries had errors, want some with errors and some without", count, failing)
		}
	})
}

func FuzzGeneratedQueries(f *testing.F) {
	d := newDifferential(f, true)
	for seed := range uint64(8) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { d.wantSame(t, seed) })
}

// differential is two gateways over a stand-in for both APIs, whose responses the test sets.
type differential struct {
	one, other http.Handler
	over       []*gateway // the same two, with HTTP
	schema     querySchema
	records    map[ledger.Kind][][]byte

	mu     sync.Mutex
	bodies map[string][]byte // of the stand-in's responses, by path
	polled map[string][]byte // of its responses to the reads of streams, which have no request id; nil for the same
	polls  [2]int            // reads of the streams of each gateway
	tokens int               // that requests of sessions have had
	nulls  int               // of fields with @semanticNonNull, which had errors
}

// newDifferential starts the gateways. If sharing, the first one shares calls between requests. An answer of a call
// that began before another request may be older than that request, so tests that change records do not share calls.
func newDifferential(t testing.TB, sharing bool) *differential {
	t.Helper()
	d := &differential{records: map[ledger.Kind][][]byte{}}
	network := &memnet.Network{}
	standin := network.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := d.bodyFor(r)
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		if body == nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if size := r.URL.Query().Get("perPage"); size != "" {
			body = bytes.Replace(body, []byte(`"perPage":20`), []byte(`"perPage":`+size), 1)
		}
		_, _ = w.Write(body)
	}))
	for i, handler := range []*http.Handler{&d.one, &d.other} {
		base := fmt.Sprintf("%s/%d", standin, i)
		started := gatewaytest.Start(t, func(o *options) {
			o.Network, o.Auth.Mode = network, auth.ModeForward
			o.Upstream = client.Config{CoreURL: base, DispatcherURL: base, PageParam: "page", PerPageParam: "perPage", Coalesce: sharing && i == 0}
			o.Serve = serve.Config{
				Log: slog.New(slog.DiscardHandler), Introspection: true, Federation: true,
				MaxErrors: 100_000, Persisted: persisted.Config{}, LogOneIn: 100,
				Live: live.Config{Interval: time.Millisecond, Polls: 1_000_000},
				Limits: limits.Config{ // more than a generated document has
					Bytes: 1 << 20, Tokens: 100_000, Depth: 100, Fields: 100_000, Derived: 10_000, Validation: 100_000_000, MaxCost: 1_000_000,
				},
			}
		})
		*handler = started.Handler
		d.over = append(d.over, &gateway{started})
	}
	d.schema = querySchemaOf(t, d.one)
	records := ledger.New(ledger.Config{Records: 60})
	for kind, entries := range map[ledger.Kind][]*ledger.Entry{
		ledger.Deposit: records.Deposits(), ledger.Withdrawal: records.Withdrawals(),
		ledger.Transaction: records.Transactions(), ledger.Notification: records.Notifications(),
	} {
		for _, entry := range entries {
			raw := bytes.ReplaceAll(entry.JSON(), []byte("data:image/png;base64,iVBORw0KGgo"), []byte("data:,"))
			d.records[kind] = append(d.records[kind], raw)
		}
	}
	return d
}

// bodyFor returns the body of the stand-in's response to a request: not ok for 404, nil for 503.
func (d *differential) bodyFor(r *http.Request) (body []byte, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	side, path := r.URL.Path[1]-'0', r.URL.Path[2:]
	bodies := d.bodies
	if r.Header.Get("X-Request-Id") == "" {
		d.polls[side]++
		if d.polled != nil {
			bodies = d.polled
		}
	}
	body, ok = bodies[path]
	return body, ok
}

// wantSame generates a query and the APIs' responses, and fails the test unless both gateways respond with the same
// bytes, twice: the second response has the links that the token has learned by the first. Each seed has its own token.
// It returns the number of errors in the first response.
func (d *differential) wantSame(t testing.TB, seed uint64) int {
	t.Helper()
	g := newGenerator(seed, 7, d)
	document, vars := g.operation()
	d.mu.Lock()
	d.bodies = g.bodies()
	d.mu.Unlock()
	body, err := json.Marshal(map[string]any{"query": document, "variables": vars})
	must(t, err)
	token := fmt.Sprint("t-", seed)
	response := d.sendBoth(t, token, body)
	if strings.Contains(document, "notifications") {
		d.sendBoth(t, token, body)
	}
	if t.Failed() {
		t.Fatalf("seed %d\nquery     %s %v\nbodies    %s", seed, document, vars, d.bodies)
	}
	var envelope struct{ Errors []json.RawMessage }
	if err := json.Unmarshal(response, &envelope); err != nil {
		t.Fatalf("seed %d: not JSON: %v: %s", seed, err, response)
	}
	if bytes.Contains(response, []byte("GRAPHQL_VALIDATION_FAILED")) || bytes.Contains(response, []byte(`"INTERNAL"`)) {
		t.Fatalf("seed %d: %s: %.500s", seed, document, response)
	}
	seen, wrong := checkSemanticNulls(t, d.schema.Schema, document, response)
	if d.nulls += seen; len(wrong) > 0 {
		t.Fatalf("seed %d: %s\nnull without an error: %v\n%.3000s", seed, document, wrong, response)
	}
	return len(envelope.Errors)
}

// sendBoth sends a request to both gateways and returns the response of the first. It fails the test if they differ.
func (d *differential) sendBoth(t testing.TB, token string, body []byte) []byte {
	t.Helper()
	one, other := send(d.one, token, body), send(d.other, token, body)
	if !bytes.Equal(one, other) {
		t.Errorf("one   %s\nother %s", around(one, other), around(other, one))
	}
	return one
}

// around is the part of text around its first difference from another text.
func around(text, other []byte) []byte {
	i := 0
	for i < len(text) && i < len(other) && text[i] == other[i] {
		i++
	}
	return text[max(0, i-300):min(len(text), i+300)]
}

// send posts a body to a handler and returns the body of the response.
func send(handler http.Handler, token string, body []byte) []byte {
	r := httptest.NewRequest(http.MethodPost, "/graphql", bytes.NewReader(body))
	r.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}, "X-Request-Id": {"r"}}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w.Body.Bytes()
}
