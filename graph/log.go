package graph

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/upstream"
)

// logOperations tells the observer of an operation, and writes a line for it: its name, a hash of its document, who sent
// it, the codes of its errors, the causes of failed calls, how many calls there were, how long it took. Of those in which
// nothing went wrong it writes the first, and then one in so many. Variables, arguments and data are never logged.
func logOperations(log *slog.Logger, oneIn int, observer Observer) graphql.ResponseMiddleware {
	var succeeded atomic.Uint64
	return func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
		began := time.Now()
		failed := &failures{}
		ctx = context.WithValue(ctx, failuresKey{}, failed)
		if !graphql.HasOperationContext(ctx) {
			return next(ctx)
		}
		seen := operationOf(ctx)
		if observer != nil {
			ctx = observer.Begin(ctx, seen)
		}
		var (
			response *graphql.Response // nil after a panic
			calls    int
		)
		func() {
			defer func() {
				calls = int(failed.calls.Load())
				if observer != nil {
					observer.End(ctx, seen, resultOf(ctx, response, failed, calls, time.Since(began)))
				}
			}()
			response = next(ctx)
		}()
		if response == nil {
			return nil
		}
		if len(response.Errors) == 0 && !failed.any() && (succeeded.Add(1)-1)%uint64(max(oneIn, 1)) != 0 {
			return response
		}
		client := ClientOf(ctx)
		log.InfoContext(ctx, "operation",
			"requestId", RequestID(ctx),
			"name", seen.Name,
			"document", seen.Document(),
			"traceId", traceID(ctx),
			"client", client.Name,
			"clientVersion", client.Version,
			"codes", codes(response),
			"failures", failed.list(),
			"calls", calls,
			"durationMs", time.Since(began).Milliseconds(),
		)
		return response
	}
}

// failures are the causes of an operation's failed calls, each once, and how many calls there were. The causes are for the
// log only: a client is told a code. And the errors of its response, until they are sorted.
type failures struct {
	raised  errorList
	calls   atomic.Int64 // of the APIs, that ended
	fetched Fetched      // at the end
	mu      sync.Mutex
	causes  []string
}

// failuresKey is the context key of the operation's failures.
type failuresKey struct{}

// maxFailures bounds a log line: more kinds of failure at a time tell nothing more.
const maxFailures = 8

// noteFailure keeps the cause of a failed call for the operation's log line. What a caller did wrong is no failure.
func noteFailure(ctx context.Context, err error) {
	noted, ok := ctx.Value(failuresKey{}).(*failures)
	if !ok {
		return
	}
	switch upstream.KindOf(err) {
	case upstream.KindNotFound, upstream.KindInvalidInput, upstream.KindForbidden, upstream.KindCanceled:
		return
	}
	noted.mu.Lock()
	defer noted.mu.Unlock()
	if text := err.Error(); len(noted.causes) < maxFailures && !slices.Contains(noted.causes, text) {
		noted.causes = append(noted.causes, text)
	}
}

// noteFetched keeps what an answer fetched for the operation's observer. It is called when the answer is there.
func noteFetched(ctx context.Context, fetched Fetched) {
	if noted, ok := ctx.Value(failuresKey{}).(*failures); ok {
		noted.fetched = fetched
	}
}

func (f *failures) any() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.causes) > 0
}

func (f *failures) list() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string{}, f.causes...)
}

// operationName is the name in the document, which is a GraphQL name: letters, digits and underscores.
func operationName(operation *graphql.OperationContext) string {
	const most = 64 // characters of a name that are worth a log line
	if operation.Operation == nil {
		return ""
	}
	name := operation.Operation.Name
	return name[:min(len(name), most)]
}

// documentHash is short: it is for finding lines of the same document, not for proving anything.
func documentHash(document string) string {
	sum := sha256.Sum256([]byte(document))
	return hex.EncodeToString(sum[:6])
}

// codes are the codes of the response's errors, each once.
func codes(response *graphql.Response) []string {
	list := []string{}
	for _, err := range response.Errors {
		if code, ok := err.Extensions["code"].(string); ok && !slices.Contains(list, code) {
			list = append(list, code)
		}
	}
	return list
}
