package pipeline

import (
	"log/slog"
	"net/http"
	"time"

	"pixgraph/auth"
	"pixgraph/graph/limits"
	"pixgraph/graph/persisted"
	"pixgraph/internal/quota"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// Config says what the gateway serves. Client, Authenticator and Log are needed; the rest is good when it is zero.
type Config struct {
	Client        *client.Client
	Authenticator *auth.Authenticator
	Log           *slog.Logger

	Introspection bool // whether the schema can be read, through __schema and /schema.graphql
	// Console is the page to serve at / with what belongs to it, a *console.Console; nil for none.
	Console http.Handler
	// MetadataPointer is the place of notification ids in a transaction's metadata; nil when there is none.
	MetadataPointer upstream.Pointer

	// Trace lets clients ask for the calls that their operation led to; see HeaderTrace.
	Trace bool
	// Observer is notified of every operation; nil for none.
	Observer Observer
	// Calls is notified of the calls of every operation; nil for none.
	Calls client.Observer
	// LogOneIn is of how many operations without an error one is logged; 0 for all. Those with errors always are.
	LogOneIn int
	// WithoutFastPath has gqlgen write every answer, field by field.
	WithoutFastPath  bool
	OperationTimeout time.Duration // for one operation; 0 for none but those of its calls. A client may lower it: HeaderTimeout
	MaxOperations    int           // operations served at a time; 0 for no bound
	MaxMemory        int64         // bytes that all requests hold together; 0 for no bound
	Bytes            quota.Limits  // bytes that one operation reads and answers

	Limits    limits.Config
	MaxBody   int64 // bytes of a request's body
	MaxErrors int   // errors of an answer; 0 for the transport's default
	Compress  int   // bytes of an answer from which it is compressed; 0 for the default, negative for never
	Persisted persisted.Config
	Origins   []string // the origins whose pages may use the gateway from a browser
}
