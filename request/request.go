// Package request has what is constant for a request or an operation of a WebSocket: its id, its client and caller, its
// document and cost, and what it holds of memory, slots and turns. Package serve fills it step by step, and passes
// it to the packages of the steps, which import this one.
//
// It decides nothing. Read Call first.
package request

import (
	"context"
	"crypto/sha256"
	"net/http"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/auth"
	"pixgraph/internal/quota"
)

// Call is one HTTP request, or one operation of a WebSocket. Package serve creates it, fills it step by step, and
// passes it in the context. It no longer changes when its executions begin, except for its slot and its turn, which
// belong to the goroutine of the operation.
type Call struct {
	Origin
	Identity *auth.Identity     // the caller; nil before authentication
	Document *ast.QueryDocument // parsed, validated and within the limits; nil before that
	Cost     Cost               // of the operation; zero until it is computed
	Tool     bool               // whether an assistant's tool sent the document, which is the gateway's own, and paid for it
	File     bool               // whether the response is a file
	// Untrusted says that the document is not in the manifest, if that is reported only.
	Untrusted  bool
	Deprecated []string // the deprecated fields that the operation selects
	// Unregistered is registered when the operation begins, after all limits; nil for nothing.
	Unregistered *Registration

	Account *quota.Account      // the memory that the call holds until its response is sent; nil for no bound
	Slot    quota.Slot          // of the operation; empty before its admission
	Turn    *quota.Turn         // of the operation; nil before its admission
	Calls   quota.Semaphore     // of the calls in flight of a WebSocket; nil for a bound of each execution
	Writer  http.ResponseWriter // of the response, whose deadlines a wait extends; nil if there is no such response
}

// New returns a call, and a context that carries it. They are one allocation.
func New(ctx context.Context) (context.Context, *Call) {
	with := &withCall{Context: ctx}
	return with, &with.call
}

// withCall carries a call.
type withCall struct {
	context.Context
	call Call
}

// Value implements context.Context.
func (c *withCall) Value(key any) any {
	if key == (Key{}) {
		return &c.call
	}
	return c.Context.Value(key)
}

// Origin is what a call has before authentication. The operations of a WebSocket have that of the request that opened
// it, with an id of their own.
type Origin struct {
	ID          string
	TraceParent string // W3C Trace Context; "" if absent
	Client      Client
	Address     string        // the rate-limit key of the client's address; "" if addresses are not limited
	Peer        string        // of a WebSocket, the key of the client's address, in any case
	Timeout     time.Duration // for the operation, as requested by the client; 0 if not requested
	// WantsCost and WantsTrace say that the client requests extensions.cost and extensions.trace.
	WantsCost, WantsTrace bool
}

// Cost is the upstream calls that an operation causes in the worst case, and the value of extensions.cost. It is zero
// until it is computed.
type Cost struct {
	UpstreamCalls int `json:"upstreamCalls"`
	Max           int `json:"max"`
}

// Registration is a document that is not stored yet: a client sent it with its hash, or other replicas share it.
type Registration struct {
	Hash   [sha256.Size]byte
	Text   string
	Shared bool
}

// Key is the context key of the call, for contexts that carry more than the call.
type Key struct{}

// NewContext returns a context that carries the call.
func NewContext(ctx context.Context, c *Call) context.Context {
	return context.WithValue(ctx, Key{}, c)
}

// CallOf returns the call in ctx. Outside of a call, it returns an empty one, without a caller.
func CallOf(ctx context.Context) *Call {
	if c, ok := ctx.Value(Key{}).(*Call); ok {
		return c
	}
	return &Call{}
}

// Kept returns what a stream keeps of the call for its events, and for the ids in its errors. The timeout and the trace
// of the call end with it.
func (c *Call) Kept() *Call {
	return &Call{Origin: Origin{ID: c.ID, Client: c.Client}, Identity: c.Identity, Cost: c.Cost}
}

// Caller identifies the caller; "" before authentication. It is 32 arbitrary bytes, for keys and not for logs.
func (c *Call) Caller() string {
	if c.Identity == nil {
		return ""
	}
	return c.Identity.Caller()
}

// Share is the key of the caller in what callers share: slots of operations, memory, connections. It is Caller, but
// quota.Common for all callers whose token may be invented; so it must never be the key of data. It changes when an API
// accepts the token: the holder of what was taken keeps the key, to return it.
func (c *Call) Share() string {
	if c.Identity != nil && !c.Identity.Accepted() {
		return quota.Common
	}
	return c.Caller()
}

// TraceID returns the id of the W3C trace that the call belongs to, or "" without a trace.
func (c *Call) TraceID() string {
	if c.TraceParent == "" {
		return ""
	}
	return c.TraceParent[len("00-"):][:32]
}
