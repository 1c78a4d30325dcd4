package serve

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/auth"
	"pixgraph/graph"
	"pixgraph/graph/apierror"
	"pixgraph/internal/quota"
	"pixgraph/request"
	"pixgraph/serve/run"
	"pixgraph/serve/stream"
	"pixgraph/upstream/live"
)

// liveOf completes the settings of streams.
func (g *Gateway) liveOf() live.Config {
	c := g.config.Live
	c.Source, c.Log, c.Hint = live.FromClient(g.config.Client, g.config.Calls), g.config.Log, g.hint()
	c.Pay = func(token live.Token, calls int) (int, time.Duration) {
		return g.limited.PayPart(token.Caller, token.Address, calls)
	}
	return c
}

// DrainStreams ends all streams and WebSockets within a time, and rejects new ones.
func (g *Gateway) DrainStreams(within time.Duration) {
	g.webSockets.Drain(within)
	g.live.Drain(within)
}

// EndStreams ends all streams at once, and returns when their clients have been notified. A client that does not read
// delays it by the write timeout of a stream.
func (g *Gateway) EndStreams() {
	g.live.Close()
	g.webSockets.Close()
}

// Subscribe implements run.Gateway.
func (g *Gateway) Subscribe(
	ctx context.Context, call *request.Call, operation *graphql.OperationContext, open stream.OpenSink,
) (*live.Stream, error) {
	// The leeway of authentication is for operations that end soon. A stream would end at once.
	if expires := call.Identity.Expiry(); !expires.IsZero() && !time.Now().Before(expires) {
		return nil, graph.Describe(&auth.Error{Reason: auth.ReasonExpired})
	}
	subscription, err := g.schema.Subscribe(ctx, operation, g.parsed)
	if err != nil {
		return nil, err
	}
	g.persisted.Register(call)
	query := subscription.Query
	release, err := g.hold(call, query, streamBytes)
	if err != nil {
		return nil, err
	}
	// The document that is cached has the text, so that equal streams share it.
	query.RawQuery = query.Operation.Position.Src.Input
	query.Extensions = nil
	kept := call.Kept() // not the call, which holds more
	sink := g.newLoggedSink(open(request.NewContext(context.Background(), kept), subscription.Key), kept, operationName(query), release)
	sink.traceID, sink.key, sink.facts = call.TraceID(), subscription.Key, subscription.Facts
	stream, err := g.live.Join(live.Request{
		Token:   streamToken(call),
		Subject: subscription.Subject,
		Until:   subscription.Until,
		Answer:  answerKey(query),
		Execute: func(ctx context.Context, reading *live.Reading) ([]byte, error) {
			return g.answer(ctx, kept, query, reading)
		},
		Calls: max(0, call.Cost.UpstreamCalls-1), // the record is read before
		Sink:  sink, Multiplexed: sink.Protocol() == stream.WebSocket,
	})
	if err != nil {
		sink.close()
	}
	return stream, g.joinError(err)
}

// streamToken returns the token that the streams of a call read with.
func streamToken(call *request.Call) live.Token {
	identity, digest := call.Identity, call.Identity.Digest()
	return live.Token{
		Bearer: identity.Bearer(), Key: string(digest[:]), Caller: identity.Caller(), Address: call.Address, Expires: identity.Expiry(),
		Share: (&request.Call{Identity: identity}).Share, // without what else the call holds
	}
}

// joinError returns the error for a stream that cannot begin; nil without an error.
func (g *Gateway) joinError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, live.ErrTooManyOfCaller):
		_, perCaller := g.live.Limits()
		return apierror.Exceeds(run.LimitStreams, int64(perCaller), err.Error())
	case errors.Is(err, live.ErrTooMany):
		g.counts.limitHit(limitAllStreams)
	}
	return apierror.Busy(err.Error())
}

// answerKey identifies the answers of a query among those of its caller: by the document, the operation and the
// variables.
func answerKey(query *graphql.OperationContext) string {
	h := sha256.New()
	variables, _ := json.Marshal(query.Variables) // they were decoded from JSON
	for _, part := range []string{query.RawQuery, query.OperationName, string(variables)} {
		_, _ = h.Write([]byte(part))
		_, _ = h.Write([]byte{0})
	}
	return string(h.Sum(nil))
}

// answer executes the query of a subscription on a reading. Its upstream session returns the reading instead of calling
// the API for it. Without enough memory there is no answer; one with an error that may end, such as that of a linked
// record, is incomplete.
func (g *Gateway) answer(ctx context.Context, kept *request.Call, query *graphql.OperationContext, reading *live.Reading) ([]byte, error) {
	event := g.execute(ctx, kept, graph.Input{Event: reading}, query)
	defer event.release()
	if event.response == nil {
		return nil, ctx.Err()
	}
	if err := event.Account.Failed(); errors.Is(err, quota.ErrExhausted) {
		return nil, err
	}
	for _, err := range event.response.Errors {
		if shown := apierror.Of(err); shown != nil && shown.Retryable {
			return stream.Answer(event.response), shown
		}
	}
	return stream.Answer(event.response), nil
}
