package serve

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/graph"
	"pixgraph/internal/httpserver"
	"pixgraph/request"
	"pixgraph/upstream/live"
)

// await waits until the statuses of an operation's waits are reached, or their time is over. In the meantime the
// operation has no slot. The error rejects an operation that may not wait, or gets no slot afterwards.
func (g *Gateway) await(ctx context.Context, call *request.Call, operation *graphql.OperationContext, waits []*graph.Wait) error {
	if err := g.wait(ctx, call, operation, waits); err != nil {
		return err
	}
	return g.retake(ctx, call)
}

// wait waits without a slot. Each wait is a stream of the caller, and the account of the call only has what it really
// holds.
func (g *Gateway) wait(ctx context.Context, call *request.Call, operation *graphql.OperationContext, waits []*graph.Wait) error {
	release, err := g.hold(call, operation, waitBytes+len(waits)*streamBytes)
	if err != nil {
		return err
	}
	defer release()
	waiters, err := g.join(call, waits)
	if err != nil {
		return err
	}
	call.Account.Trim()
	pause(call)
	extendDeadlines(ctx, call.Writer, waits)
	awaitAll(ctx, waiters, waits)
	return nil
}

// join begins the streams of an operation's waits. If one cannot begin, none does.
func (g *Gateway) join(call *request.Call, waits []*graph.Wait) ([]*waiter, error) {
	waiters := make([]*waiter, 0, len(waits))
	for _, wait := range waits {
		w := &waiter{ended: make(chan struct{})}
		var err error
		w.stream, err = g.live.Join(live.Request{
			Token: streamToken(call), Subject: wait.Subject, Until: wait.Until, Answer: waitKey(wait.Until), Sink: w,
		})
		if err != nil {
			for _, earlier := range waiters {
				earlier.close()
			}
			return nil, g.joinError(err)
		}
		waiters = append(waiters, w)
	}
	return waiters, nil
}

// waitKey identifies the waits for the same statuses among the streams of a caller and a record.
func waitKey(until live.Until) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "await %q %s", until.Statuses, until.Since.UTC().Format(time.RFC3339Nano)))
	return string(sum[:])
}

// waiter is the Sink of a wait. It receives the final event.
type waiter struct {
	stream *live.Stream
	final  live.Event    // the zero value if there was none
	ended  chan struct{} // closed at the end
}

// Send implements live.Sink.
func (w *waiter) Send(e live.Event) error {
	if e.Final {
		w.final = e
	}
	return nil
}

// Heartbeat implements live.Sink.
func (w *waiter) Heartbeat() error { return nil }

// End implements live.Sink.
func (w *waiter) End(live.End) { close(w.ended) }

// close ends the stream, and releases a reading that is not used.
func (w *waiter) close() {
	w.stream.Close()
	<-w.ended
	if w.final.Reading != nil {
		w.final.Reading.Release()
	}
}

// awaitAll waits until each stream has ended or its time is over, and stores their results. After that time, or if a
// stream ended for another reason, there is no result: then the execution reads the record.
func awaitAll(ctx context.Context, waiters []*waiter, waits []*graph.Wait) {
	began := time.Now()
	for i, w := range waiters {
		timer := time.NewTimer(time.Until(began.Add(waits[i].Timeout)))
		select {
		case <-w.ended:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		w.stream.Close()
		<-w.ended // soon: the sink does not block
		waits[i].Reading, waits[i].Err = w.final.Reading, w.final.Err
	}
	dropOutdated(waits)
}

// dropOutdated drops each reading that is older than the end of another wait for the same record, because a response
// shows a record as it was read last. After a wait without a reading, the execution reads the record.
func dropOutdated(waits []*graph.Wait) {
	var outdated []*graph.Wait
	for _, wait := range waits {
		if wait.Reading != nil && slices.ContainsFunc(waits, func(other *graph.Wait) bool {
			same := other.Subject.Route == wait.Subject.Route && other.Subject.Target == wait.Subject.Target
			return same && other.Err == nil && (other.Reading == nil || other.Reading.Read.After(wait.Reading.Read))
		}) {
			outdated = append(outdated, wait)
		}
	}
	for _, wait := range outdated {
		wait.Reading.Release()
		wait.Reading = nil
	}
}

// releaseReadings releases what the waits have read.
func releaseReadings(waits []*graph.Wait) {
	for _, wait := range waits {
		if wait.Reading != nil {
			wait.Reading.Release()
		}
	}
}

// extendDeadlines lets the connection of a response outlast the waits. The next request on it gets new deadlines.
func extendDeadlines(ctx context.Context, w http.ResponseWriter, waits []*graph.Wait) {
	server, ok := ctx.Value(http.ServerContextKey).(*http.Server)
	if w == nil || !ok || server.WriteTimeout <= 0 {
		return
	}
	var longest time.Duration
	for _, wait := range waits {
		longest = max(longest, wait.Timeout)
	}
	controller := http.NewResponseController(w)
	_ = controller.SetWriteDeadline(time.Now().Add(longest + httpserver.WriteTimeout)) // that of a server with TLS is shorter
	_ = controller.SetReadDeadline(time.Time{})                                        // of the read that notices that the client left
}
