package serve

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/graph"
	"pixgraph/graph/apierror"
)

// operationLog notifies the observer of each operation and logs it: its name, a hash of its document, the client, the
// codes of its errors, the causes of failed calls, the number of calls, the duration. Of the operations without errors
// it logs the first and then every oneIn-th; of those with errors or an untrusted document, the first failedLines of
// each caller in a second. It never logs variables, arguments or data.
type operationLog struct {
	log       *slog.Logger
	oneIn     int
	observer  Observer
	succeeded atomic.Uint64
	failed    *lineLimit
	ended     *lineLimit // streams
}

// The bounds of lines in a second. They suffice to see what fails; the metrics have the numbers.
const (
	failedLines   = 20   // of operations with errors, of one caller
	failedCallers = 1000 // and of those whose streams end

	endedLines = 100 // of streams that end, of one caller

	refusedLines     = 5 // of requests without a valid token, of one address
	refusedAddresses = 20
)

func newOperationLog(config Config) *operationLog {
	return &operationLog{
		log: config.Log, oneIn: config.LogOneIn, observer: config.Observer, failed: newLineLimit(failedLines, failedCallers),
		ended: newLineLimit(endedLines, failedCallers),
	}
}

// run runs an execution of an operation. more are further attributes of its log line.
func (l *operationLog) run(
	ctx context.Context, execution *graph.Execution, operation *graphql.OperationContext, next graphql.ResponseHandler, more ...any,
) *graphql.Response {
	began, seen, call := time.Now(), operationOf(operation), execution.Call
	response := l.observed(ctx, execution, seen, next)
	failures := execution.Failures.List()
	var (
		logged  bool
		omitted int
	)
	if call.Untrusted {
		more = append(more, "untrusted", true)
	}
	if len(call.Deprecated) > 0 {
		more = append(more, "deprecated", call.Deprecated)
	}
	if len(response.Errors) == 0 && len(failures) == 0 && !call.Untrusted {
		logged = (l.succeeded.Add(1)-1)%uint64(max(l.oneIn, 1)) == 0
	} else {
		omitted, logged = l.failed.admit(call.Share())
	}
	if !logged {
		return response
	}
	l.log.InfoContext(ctx, "operation", omittedLines(omitted, append([]any{
		"requestId", call.ID,
		"name", seen.Name,
		"document", seen.Document(),
		"traceId", call.TraceID(),
		"client", call.Client.Name,
		"clientVersion", call.Client.Version,
		"codes", codes(response),
		"failures", failures,
		"calls", execution.Calls(),
		"durationMs", time.Since(began).Milliseconds(),
	}, more...)...)...)
	return response
}

// observed runs an execution between the two calls of the observer. After a panic, the observer gets no response.
func (l *operationLog) observed(
	ctx context.Context, execution *graph.Execution, seen Operation, next graphql.ResponseHandler,
) (response *graphql.Response) {
	if l.observer == nil {
		return next(ctx)
	}
	began := time.Now()
	ctx = l.observer.Begin(ctx, seen)
	defer func() { l.observer.End(ctx, seen, resultOf(ctx, execution, response, time.Since(began))) }()
	return next(ctx)
}

// operationName returns the name in the document, which consists of letters, digits and underscores.
func operationName(operation *graphql.OperationContext) string {
	const limit = 64 // characters
	if operation.Operation == nil {
		return ""
	}
	name := operation.Operation.Name
	return name[:min(len(name), limit)]
}

// documentHash returns a short hash. It serves to find log lines of the same document and is not collision-resistant.
func documentHash(document string) string {
	sum := sha256.Sum256([]byte(document))
	return hex.EncodeToString(sum[:6])
}

// codes returns the distinct codes of the response's errors.
func codes(response *graphql.Response) []string {
	list := []string{}
	for _, err := range response.Errors {
		if e := apierror.Of(err); e != nil && !slices.Contains(list, string(e.Code)) {
			list = append(list, string(e.Code))
		}
	}
	return list
}
