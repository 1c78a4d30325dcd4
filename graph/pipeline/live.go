package pipeline

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
	"pixgraph/graph/guard/limits"
	"pixgraph/graph/transport"
	"pixgraph/internal/quota"
	"pixgraph/upstream/live"
)

// liveOf completes the settings of streams.
func liveOf(config Config, limited *limits.Limits) live.Config {
	c := config.Live
	c.Source, c.Log = live.FromClient(config.Client, config.Calls), config.Log
	c.Pay = func(token live.Token) time.Duration {
		return limited.PayInBackground(token.Caller, token.Address, 1)
	}
	return c
}

// DrainStreams ends all streams and WebSockets within a time, and rejects new ones.
func (g *Gateway) DrainStreams(within time.Duration) {
	g.webSockets.Drain(within)
	g.live.Drain(within)
}

// EndStreams ends all streams at once, and returns when their clients have been notified. A client that does not read delays it
// by the write timeout of a stream. Downloads end with their page, as incomplete.
func (g *Gateway) EndStreams() {
	g.endDownloads()
	g.live.Close()
	g.webSockets.Close()
}

// Live returns the counters of streams.
func (g *Gateway) Live() live.Stats { return g.live.Stats() }

// subscribe begins the stream of the subscription in ctx. It is the Subscribe of transport.Config.
func (g *Gateway) subscribe(ctx context.Context, exec graphql.GraphExecutor, open func(key string) transport.Sink) (*live.Stream, error) {
	request := graph.RequestOf(ctx)
	// The leeway of authentication is for operations that end soon. A stream would end at once.
	if expires := request.Identity.Expiry(); !expires.IsZero() && !time.Now().Before(expires) {
		return nil, graph.Describe(&auth.Error{Reason: auth.ReasonExpired})
	}
	subscription, err := g.schema.Subscribe(ctx, g.lookups, g.parsed)
	if err != nil {
		return nil, err
	}
	query := subscription.Query
	release, err := g.hold(request, query, streamBytes)
	if err != nil {
		return nil, err
	}
	// The document that is cached has the text, so that equal streams share it.
	query.RawQuery = query.Operation.Position.Src.Input
	query.Extensions, query.Headers = nil, nil
	kept := request.Kept() // not the request, which holds more
	sink := g.newLoggedSink(open(subscription.Key), request, operationName(query), release)
	stream, err := g.live.Join(live.Request{
		Token:   streamToken(request),
		Subject: subscription.Subject,
		Until:   subscription.Until,
		Answer:  answerKey(query),
		Execute: func(ctx context.Context, reading *live.Reading) ([]byte, error) {
			return g.answer(ctx, exec, kept, query, reading)
		},
		Sink: sink,
	})
	if err != nil {
		sink.close()
	}
	return stream, g.joinError(err)
}

// detach returns the context that a stream keeps of its request, for the ids in its errors.
func detach(ctx context.Context) context.Context {
	return graph.NewContext(context.Background(), graph.RequestOf(ctx).Kept())
}

// streamToken returns the token that the streams of a request read with.
func streamToken(request *graph.Request) live.Token {
	identity, digest := request.Identity, request.Identity.Digest()
	return live.Token{
		Bearer: identity.Bearer(), Key: string(digest[:]), Caller: identity.Caller(), Address: request.Address, Expires: identity.Expiry(),
	}
}

// joinError returns the error for a stream that cannot begin; nil without an error.
func (g *Gateway) joinError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, live.ErrTooManyOfCaller):
		_, most := g.live.Limits()
		return apierror.Exceeds(transport.LimitStreams, int64(most), err.Error())
	case errors.Is(err, live.ErrTooMany):
		g.counts.limitHit(limitAllStreams)
	}
	return apierror.Busy(err.Error())
}

// answerKey identifies the answers of a query among those of its caller: by the document, the operation and the variables.
func answerKey(query *graphql.OperationContext) string {
	h := sha256.New()
	variables, _ := json.Marshal(query.Variables) // they were decoded from JSON
	for _, part := range []string{query.RawQuery, query.OperationName, string(variables)} {
		_, _ = h.Write([]byte(part))
		_, _ = h.Write([]byte{0})
	}
	return string(h.Sum(nil))
}

// answer executes the query of a subscription on a reading, as an operation of its own: with its own memory account, loaders
// and upstream session, which returns the reading instead of calling the API for it. Without enough memory there is no answer;
// one with an error that may end, such as that of a linked record, is incomplete.
func (g *Gateway) answer(
	ctx context.Context, exec graphql.GraphExecutor, subscribed *graph.Request, query *graphql.OperationContext, reading *live.Reading,
) ([]byte, error) {
	request := subscribed.Event(reading)
	request.Account = quota.NewAccount(g.memory, request.Caller(), g.config.Bytes)
	defer request.Account.Release()
	responses, ctx := exec.DispatchOperation(graph.NewContext(ctx, request), query)
	response := responses(ctx)
	data, sent := dataOf(ctx, response)
	defer sent()
	if err := request.Account.Failed(); errors.Is(err, quota.ErrExhausted) {
		return nil, err
	}
	for _, err := range response.Errors {
		if shown := apierror.Of(err); shown != nil && shown.Retryable {
			return transport.Answer(response, data), shown
		}
	}
	return transport.Answer(response, data), nil
}
