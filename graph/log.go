package graph

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"slices"
	"time"

	"github.com/99designs/gqlgen/graphql"
)

// logOperations writes one line per operation: its name, a hash of its document, the codes of its errors, how long it
// took. Variables, arguments and data are never logged.
func logOperations(log *slog.Logger) graphql.ResponseMiddleware {
	return func(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
		began := time.Now()
		response := next(ctx)
		if response == nil || !graphql.HasOperationContext(ctx) {
			return response
		}
		operation := graphql.GetOperationContext(ctx)
		log.InfoContext(ctx, "operation",
			"requestId", RequestID(ctx),
			"name", operationName(operation),
			"document", documentHash(operation.RawQuery),
			"codes", codes(response),
			"durationMs", time.Since(began).Milliseconds(),
		)
		return response
	}
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
