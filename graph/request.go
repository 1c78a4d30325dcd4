package graph

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/auth"
	"pixgraph/graph/projection"
	"pixgraph/graph/trace"
	"pixgraph/internal/quota"
	"pixgraph/upstream/client"
)

// Request is the state of one HTTP request and of its operation. The pipeline makes it once, completes it step by step, and
// hands it on in the context. After Open the goroutines of the resolvers share it: what they change locks itself.
type Request struct {
	ID          string
	TraceParent string // of W3C Trace Context; "" for none
	Client      Client
	Address     string        // key of the client's address for the rate limit; "" where that is off
	Timeout     time.Duration // that the client allows for the operation; 0 for none of its own

	Identity *auth.Identity // of the caller; nil until it is authenticated
	Account  *quota.Account // of the memory that the request holds; nil for no bound

	Errors   ErrorList
	Failures Failures
	Captures projection.Captures
	Trace    *trace.Collector // nil where the client does not ask for it

	observer client.Observer // of the gateway; nil for none
	calls    atomic.Int64    // of the APIs, that ended
	session  *client.Session // nil before Open
	loaders  loaders
}

// requestKey is the context key of the request.
type requestKey struct{}

// NewContext returns a context that carries the request.
func NewContext(ctx context.Context, r *Request) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

// RequestOf returns the request that ctx belongs to; outside of one, a request without a caller.
func RequestOf(ctx context.Context) *Request {
	if r, ok := ctx.Value(requestKey{}).(*Request); ok {
		return r
	}
	return &Request{}
}

// Caller tells the caller of the request from others; "" while it is not known. It is 32 bytes of any value, for keys and
// not for logs.
func (r *Request) Caller() string {
	if r.Identity == nil {
		return ""
	}
	return r.Identity.Caller()
}

// TraceID is the id of the W3C trace that the request belongs to, "" where there is none.
func (r *Request) TraceID() string {
	if r.TraceParent == "" {
		return ""
	}
	return r.TraceParent[len("00-"):][:32]
}

// Open begins the calls of the operation: in one session, with loaders of its own. Close ends them.
func (r *Request) Open(c *client.Client, lookups *Lookups, observer client.Observer, deadline time.Time) {
	r.observer = observer
	r.session = c.Open(client.Operation{
		Bearer: r.Identity.Bearer(), Caller: r.Caller(), Header: client.Header{RequestID: r.ID, TraceParent: r.TraceParent},
		Observer: r, Account: r.Account, Deadline: deadline,
	})
	r.loaders.request, r.loaders.lookups = r, lookups
}

// Close ends the calls of the operation. Its response holds copies of what was read.
func (r *Request) Close() { r.session.End() }

// Abandon keeps the memory of the operation from being pooled: after a panic other goroutines may still read it.
func (r *Request) Abandon() {
	if r.session != nil {
		r.session.Abandon()
	}
}

// Calls is how many calls of the APIs ended.
func (r *Request) Calls() int { return int(r.calls.Load()) }

// Fetched is how many records of each kind were fetched by their ids; without the kinds of which none was.
func (r *Request) Fetched() []Fetched { return r.loaders.fetched() }

// Begin implements client.Observer.
func (r *Request) Begin(ctx context.Context, header client.Header) client.Header {
	if r.observer == nil {
		return header
	}
	return r.observer.Begin(ctx, header)
}

// End implements client.Observer: it counts a call, and traces it for the field that asked for it.
func (r *Request) End(ctx context.Context, e client.Exchange) {
	if r.Trace != nil {
		r.Trace.Add(e, trace.NewAsk(graphql.GetPath(ctx)))
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

// askedFor observes the calls for one record, which several fields may have asked for.
type askedFor struct {
	*Request
	ask *trace.Ask
}

// End implements client.Observer.
func (a askedFor) End(ctx context.Context, e client.Exchange) {
	a.Trace.Add(e, a.ask)
	a.count(ctx, e)
}
