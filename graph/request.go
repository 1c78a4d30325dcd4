package graph

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/auth"
	"pixgraph/graph/execute/paging"
	"pixgraph/graph/execute/projection"
	"pixgraph/graph/guard/limits"
	"pixgraph/graph/trace"
	"pixgraph/internal/quota"
	"pixgraph/upstream/client"
	"pixgraph/upstream/live"
)

// Request is the state of one HTTP request and its operation. The pipeline creates it, fills it step by step, and
// passes it in the context. After Open, the goroutines of the resolvers share it; each part that they change has its
// own lock.
type Request struct {
	ID          string
	TraceParent string // W3C Trace Context; "" if absent
	Client      Client
	Address     string        // the rate-limit key of the client's address; "" if addresses are not limited
	Timeout     time.Duration // for the operation, as requested by the client; 0 if not requested

	Identity *auth.Identity // the caller; nil before authentication
	Account  *quota.Account // the memory that the request holds; nil for no bound

	Document *ast.QueryDocument // parsed, validated and within the limits; nil before that
	Cost     limits.Cost        // of the operation; zero until it is computed
	Errors   ErrorList
	Failures Failures
	Data     projection.Data  // of the response, if the fast path wrote it
	Trace    *trace.Collector // nil unless the client requests a trace

	Slot   Slot                // of the operation; nil if it needs none
	Writer http.ResponseWriter // of the response, whose deadlines a wait extends; nil if there is no such response

	Rejected error // why the operation is not executed after its waits; nil if it is

	Waits []*Wait // of the operation, which have ended

	reading *live.Reading        // that the operation answers; nil unless it is an event of a subscription
	kept    *Request             // by the stream of a subscription; nil before Kept
	listed  func(paging.Listing) // is called with the list; nil unless the operation is a page of a download

	observer client.Observer // the gateway's; may be nil
	calls    atomic.Int64    // completed upstream calls
	session  *client.Session // nil before Open
	loaders  loaders
	links    readLinks
}

// requestKey is the context key of the request.
type requestKey struct{}

// NewContext returns a context that carries the request.
func NewContext(ctx context.Context, r *Request) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

// RequestOf returns the request in ctx. Outside of a request, it returns an empty request, without a caller.
func RequestOf(ctx context.Context) *Request {
	if r, ok := ctx.Value(requestKey{}).(*Request); ok {
		return r
	}
	return &Request{}
}

// Caller identifies the caller of the request; "" before authentication. It is 32 arbitrary bytes, for keys and not for
// logs.
func (r *Request) Caller() string {
	if r.Identity == nil {
		return ""
	}
	return r.Identity.Caller()
}

// TraceID returns the id of the W3C trace that the request belongs to, or "" without a trace.
func (r *Request) TraceID() string {
	if r.TraceParent == "" {
		return ""
	}
	return r.TraceParent[len("00-"):][:32]
}

// Open starts the upstream session of the operation, with its own loaders. Close ends it. byClient says that the client
// chose the deadline.
func (r *Request) Open(c *client.Client, lookups *Lookups, observer client.Observer, deadline time.Time, byClient bool) {
	r.observer = observer
	operation := client.Operation{
		Bearer: r.Identity.Bearer(), Caller: r.Caller(), Header: client.Header{RequestID: r.ID, TraceParent: r.TraceParent},
		Observer: r, Account: r.Account, Deadline: deadline, ClientDeadline: byClient,
	}
	r.session = c.Open(operation)
	if r.reading != nil {
		r.session.Replay(r.reading.Session)
	}
	for _, wait := range r.Waits {
		if wait.Reading != nil {
			r.session.Replay(wait.Reading.Session)
		}
	}
	r.loaders.request, r.loaders.lookups = r, lookups
}

// Event returns the state of an event of a subscription that the request began.
func (r *Request) Event(reading *live.Reading) *Request {
	return &Request{
		ID: r.ID, Client: r.Client, Address: r.Address, Identity: r.Identity, Document: r.Document, Cost: r.Cost, reading: reading,
	}
}

// Kept returns what the stream of a subscription keeps of the request: the state of its events, and the ids in its errors.
func (r *Request) Kept() *Request {
	if r.kept == nil {
		r.kept = r.Event(nil)
	}
	return r.kept
}

// Page returns the state of a page of the download that the request began. listed is called with the list of the page, whose
// records are valid until it returns.
func (r *Request) Page(listed func(paging.Listing)) *Request {
	return &Request{
		ID: r.ID, TraceParent: r.TraceParent, Client: r.Client, Address: r.Address, Timeout: r.Timeout, Identity: r.Identity,
		Document: r.Document, Cost: r.Cost, listed: listed,
	}
}

// Add adds the calls and the failures of a page to those of its download.
func (r *Request) Add(page *Request) {
	r.calls.Add(page.calls.Load())
	r.Failures.add(page.Failures.List())
}

// IsEvent reports whether the operation is an event of a subscription.
func (r *Request) IsEvent() bool { return r.reading != nil }

// IsPart reports whether the operation is an event of a subscription, or a page of a download.
func (r *Request) IsPart() bool { return r.IsEvent() || r.listed != nil }

// Close ends the upstream session. The response must hold copies of the data that was read. Only now are the links that
// the operation has read remembered, so that none of its fields depends on which of them was resolved first.
func (r *Request) Close() {
	r.loaders.lookups.learned.add(r.Identity, r.links.take())
	r.session.End()
}

// Abandon excludes the memory of the operation from pooling: after a panic, other goroutines may still read it.
func (r *Request) Abandon() {
	if r.session != nil {
		r.session.Abandon()
	}
}

// Calls returns the number of completed upstream calls.
func (r *Request) Calls() int { return int(r.calls.Load()) }

// Fetched returns the number of records of each kind that were fetched by id, without kinds that have none.
func (r *Request) Fetched() []Fetched { return r.loaders.fetched() }

// Begin implements client.Observer.
func (r *Request) Begin(ctx context.Context, header client.Header) client.Header {
	if r.observer == nil {
		return header
	}
	return r.observer.Begin(ctx, header)
}

// End implements client.Observer: it counts a call, and traces it for the field in ctx.
func (r *Request) End(ctx context.Context, e client.Exchange) {
	if r.Trace != nil {
		r.Trace.Add(e, trace.NewFields(graphql.GetPath(ctx)))
	}
	r.count(ctx, e)
}

func (r *Request) count(ctx context.Context, e client.Exchange) {
	if !e.Coalesced {
		r.calls.Add(1)
	}
	if r.observer != nil {
		r.observer.End(ctx, e)
	}
}

// recordObserver observes the calls for one record, which several fields may have requested.
type recordObserver struct {
	*Request
	fields *trace.Fields
}

// End implements client.Observer.
func (o recordObserver) End(ctx context.Context, e client.Exchange) {
	o.Trace.Add(e, o.fields)
	o.count(ctx, e)
}
