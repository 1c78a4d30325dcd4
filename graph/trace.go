package graph

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/upstream"
)

// HeaderTrace is the request header that, with the value 1, asks for extensions.trace, where Config.Trace allows it.
const HeaderTrace = "X-Pixgraph-Trace"

// Trace is the value of extensions.trace: the calls that an operation led to or waited for, in the order in which they
// began. It holds no ids, and nothing of what the APIs sent. Times are in microseconds, from the beginning of the operation.
type Trace struct {
	DurationMicros int64       `json:"durationMicros"`
	GatewayMicros  int64       `json:"gatewayMicros"` // of which no call was under way
	Calls          []TraceCall `json:"calls"`
}

// TraceCall is one call.
type TraceCall struct {
	Service        upstream.Service `json:"service"`
	Route          string           `json:"route"`
	Status         int              `json:"status"`  // 0 where no answer came
	Outcome        string           `json:"outcome"` // "ok", or an error's code
	Bytes          int              `json:"bytes"`   // of the body, after decompression
	EncodedBytes   int              `json:"encodedBytes"`
	StartMicros    int64            `json:"startMicros"`
	DurationMicros int64            `json:"durationMicros"`
	WaitedMicros   int64            `json:"waitedMicros"` // for a turn, before it began
	Attempt        int              `json:"attempt"`      // from 1; 0 where it was coalesced
	Coalesced      bool             `json:"coalesced"`    // not made: the same call was under way already, and was waited for
	Fields         []ast.Path       `json:"fields"`       // that asked for it
	Joined         int              `json:"joined"`       // of them, those that found it asked for already
}

// tracer collects the calls of one operation, whose cost bounds how many there are and how many fields ask for them. It ends
// with the response. A nil tracer collects nothing.
type tracer struct {
	began time.Time
	mu    sync.Mutex
	asks  map[askKey]*ask
	calls []traced
}

// askKey tells records apart.
type askKey struct{ noun, id string }

// ask is the fields that asked for one record.
type ask struct{ fields []ast.Path }

// traced is a call that ended, and who asked for it.
type traced struct {
	upstream.Exchange
	ask *ask
}

// The context keys of an operation's tracer, and of what a call is made for.
type (
	tracerKey struct{}
	askedKey  struct{}
)

// withTrace is the interceptor that traces the operations of those who ask for it.
func withTrace(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	if !graphql.HasOperationContext(ctx) || graphql.GetOperationContext(ctx).Headers.Get(HeaderTrace) != "1" {
		return next(ctx)
	}
	t := &tracer{began: time.Now(), asks: map[askKey]*ask{}}
	response := next(context.WithValue(ctx, tracerKey{}, t))
	if response != nil {
		extensions := maps.Clone(response.Extensions)
		if extensions == nil {
			extensions = map[string]any{}
		}
		extensions["trace"] = t.trace()
		response.Extensions = extensions
	}
	return response
}

func tracerOf(ctx context.Context) *tracer {
	t, _ := ctx.Value(tracerKey{}).(*tracer)
	return t
}

// asked notes that the field at a path asks for a record, and returns the context to fetch it with, if it is not yet.
func (t *tracer) asked(ctx context.Context, key askKey, at func() ast.Path) context.Context {
	if t == nil {
		return ctx
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	known := t.asks[key]
	if known == nil {
		known = &ask{}
		t.asks[key] = known
	}
	known.fields = append(known.fields, at())
	return context.WithValue(ctx, askedKey{}, known)
}

// ObserveExchange counts a call that ended, and traces it for who asked. It is made for upstream.Config.
func ObserveExchange(ctx context.Context, e upstream.Exchange) {
	if seen, ok := ctx.Value(failuresKey{}).(*failures); ok && !e.Coalesced {
		seen.calls.Add(1)
	}
	t := tracerOf(ctx)
	if t == nil {
		return
	}
	by, ok := ctx.Value(askedKey{}).(*ask)
	if !ok {
		by = &ask{[]ast.Path{graphql.GetPath(ctx)}}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls = append(t.calls, traced{e, by})
}

// trace is what was collected until now.
func (t *tracer) trace() Trace {
	duration := time.Since(t.began)
	t.mu.Lock()
	defer t.mu.Unlock()
	slices.SortFunc(t.calls, func(a, b traced) int { return cmp.Compare(a.Start.UnixNano(), b.Start.UnixNano()) })
	trace := Trace{DurationMicros: duration.Microseconds(), Calls: make([]TraceCall, len(t.calls))}
	var busy, until time.Duration // with a call under way, as far as the calls until now reach
	for i, c := range t.calls {
		start := c.Start.Sub(t.began)
		if end := start + c.Duration; end > until {
			busy += end - max(start, until)
			until = end
		}
		trace.Calls[i] = c.shown(start)
	}
	trace.GatewayMicros = (duration - busy).Microseconds()
	return trace
}

func (c traced) shown(start time.Duration) TraceCall {
	shown := TraceCall{
		Service: c.Service, Route: c.Route, Status: c.Status, Outcome: "ok", Bytes: c.Bytes, EncodedBytes: c.EncodedBytes,
		StartMicros: start.Microseconds(), DurationMicros: c.Duration.Microseconds(), WaitedMicros: c.Waited.Microseconds(),
		Attempt: c.Attempt, Coalesced: c.Coalesced, Fields: slices.Clone(c.ask.fields), Joined: len(c.ask.fields) - 1,
	}
	if c.Err != nil {
		shown.Outcome = outcomes[upstream.KindOf(c.Err)].code
	}
	return shown
}
