package serve_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pixgraph/graph"
	"pixgraph/request"
	"pixgraph/sandbox"
	"pixgraph/serve"
)

// observed is an operation that an observer was notified of.
type observed struct {
	serve.Operation
	serve.Result
	document string
}

// observer stores the operations, and marks their contexts.
type observer struct {
	mu   sync.Mutex
	seen []observed
	open int
}

type markKey struct{}

func (o *observer) Begin(ctx context.Context, _ serve.Operation) context.Context {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open++
	return context.WithValue(ctx, markKey{}, o)
}

func (o *observer) End(ctx context.Context, operation serve.Operation, r serve.Result) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if ctx.Value(markKey{}) == o {
		o.open--
	}
	o.seen = append(o.seen, observed{operation, r, operation.Document()})
}

// queryAsClient runs an operation with the name and the version of a client.
func (g *gateway) queryAsClient(name, version, document string) {
	g.T.Helper()
	g.QueryWith(http.Header{
		"Apollographql-Client-Name": {name}, "Apollographql-Client-Version": {version},
		"Traceparent": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
	}, document)
}

// TestObserver: an observer is notified of every operation exactly once, whether it ran or not.
func TestObserver(t *testing.T) {
	const a, b = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
	byID := fmt.Sprintf(`{
		transactions(ids: [%q, %q, %q]) { id } a: notification(id: "a") { id } b: notification(id: "a") { id }
	}`, a, b, a)
	amounts := regexp.MustCompile(`"amount":[0-9]+`)
	fetched := func(noun string, records int) graph.Fetched { return graph.Fetched{Noun: noun, Records: records} }
	type client = request.Client
	tests := []struct {
		name, client, version, document string
		fault                           sandbox.Fault
		operation                       string
		want                            serve.Result
	}{
		{
			"a success", "web", "1.2.3+45", "query Page { deposits { totalCount } withdrawals { totalCount } }",
			sandbox.Fault{Latency: time.Second}, "Page query",
			serve.Result{Client: client{Name: "web", Version: "1.2.3+45"}, Ran: true, Calls: 2},
		},
		{"records by id", "", "", byID, sandbox.Fault{}, " query", serve.Result{
			Ran: true, Calls: 3, Fetched: []graph.Fetched{fetched("transaction", 2), fetched("notification", 1)},
			Codes: []string{"NOT_FOUND"},
		}},
		{"one record", "", "", fmt.Sprintf("{ withdrawal(id: %q) { id } }", a), sandbox.Fault{}, " query", serve.Result{
			Ran: true, Calls: 1, Fetched: []graph.Fetched{fetched("withdrawal", 1)}, Codes: []string{"NOT_FOUND"},
		}},
		{
			"without a name", "", "", "{ deposits { totalCount } }", sandbox.Fault{}, " query",
			serve.Result{Ran: true, Calls: 1},
		},
		{
			"a failure", "a@example.com", strings.Repeat("1", 11), "{ deposits { totalCount } }",
			sandbox.Fault{Status: http.StatusForbidden}, " query", serve.Result{
				Client: client{Name: "invalid", Version: "invalid"}, Ran: true, Calls: 1, Codes: []string{"FORBIDDEN"},
			},
		},
		{
			"invalid records", strings.Repeat("a", 65), "", "{ deposits(perPage: 3) { nodes { amount } } }",
			sandbox.Fault{Mutate: func(body []byte) []byte {
				return amounts.ReplaceAll(body, []byte(`"amount":"none"`))
			}}, " query", serve.Result{
				Client: client{Name: "invalid"}, Ran: true, Calls: 1, Codes: []string{"UPSTREAM_INVALID_RESPONSE"},
				Broken: serve.Broken{Core: 3},
			},
		},
		{
			"an invalid document", "", "", "query Wrong { nothing }", sandbox.Fault{}, " ",
			serve.Result{Codes: []string{"GRAPHQL_VALIDATION_FAILED"}},
		},
	}
	for _, tt := range tests {
		bubble(t, tt.name, func(t *testing.T) {
			o := &observer{}
			g := start(t, small, func(with *options) { with.Serve.Observer = o })
			g.Box.Inject(tt.fault)
			g.queryAsClient(tt.client, tt.version, tt.document)
			o.mu.Lock()
			defer o.mu.Unlock()
			if len(o.seen) != 1 || o.open != 0 {
				t.Fatalf("notified of %d operations, %d are open", len(o.seen), o.open)
			}
			got, want := o.seen[0], tt.want
			if got.Name+" "+got.Type != tt.operation || got.Client != want.Client || got.Ran != want.Ran ||
				got.Calls != want.Calls || !slices.Equal(got.Fetched, want.Fetched) || got.Broken != want.Broken ||
				!slices.Equal(got.Codes, want.Codes) {
				t.Errorf("got %+v, want %q and %+v", got, tt.operation, want)
			}
			if got.Duration != tt.fault.Latency || len(got.document) != 12 {
				t.Errorf("it took %s, its document is %q", got.Duration, got.document)
			}
		})
	}
}
