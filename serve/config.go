package serve

import (
	"cmp"
	"log/slog"
	"net/http"
	"time"

	"pixgraph/auth"
	"pixgraph/fleet"
	"pixgraph/graph/guard/limits"
	"pixgraph/graph/guard/persisted"
	"pixgraph/internal/quota"
	"pixgraph/serve/cors"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
	"pixgraph/upstream/live"
)

// Config configures a gateway. Client, Authenticator and Log are required; the zero value of any other field is valid.
type Config struct {
	Client        *client.Client
	Authenticator *auth.Authenticator
	Log           *slog.Logger

	// PublicURL is the URL that clients have of the gateway, without /graphql; with it, they can discover the issuers
	// from a 401. It may be "".
	PublicURL string
	// PublicAliases are other URLs of the gateway, such as those of another name of the host. Clients discover the
	// resource at the one that they use.
	PublicAliases []string
	Issuers       []string // whose tokens are accepted, exactly as configured; nil if the APIs decide
	// BoundTokens says that tokens may be bound to the certificates of clients: the gateway requires and checks these.
	BoundTokens bool
	// Verified returns what reports whether the client of a request may begin further operations on its connection;
	// nil for always.
	Verified func(*http.Request) func() bool

	// Assistants serves assistants by the Model Context Protocol. It needs PublicURL, and that tokens are verified.
	// With PersonalData, they also see tax ids, e-mail addresses, phone numbers, addresses and Pix keys.
	Assistants, PersonalData bool

	Introspection bool // whether clients can read the schema, through __schema and /schema.graphql
	// Console serves the pages at / and /payments, and their assets; nil for none.
	Console http.Handler
	// Sandbox serves the routes of a sandbox below /sandbox; nil for none.
	Sandbox http.Handler
	// MetadataPointer is the location of notification ids in a transaction's metadata; nil for none.
	MetadataPointer upstream.Pointer

	// Trace lets clients request a trace of the upstream calls of an operation; see HeaderTrace.
	Trace bool
	// Observer is notified of every operation; may be nil.
	Observer Observer
	// Calls is notified of every upstream call; may be nil.
	Calls client.Observer
	// LogOneIn logs one of this many operations without errors; 0 logs all. Operations with errors are logged unless
	// their caller has many of them.
	LogOneIn         int
	OperationTimeout time.Duration // of an operation; 0 for none except those of its calls. A client may lower it: HeaderTimeout
	MaxOperations    int           // concurrent operations; 0 for no bound
	MaxMemory        int64         // bytes that all requests together hold; 0 for no bound
	Bytes            quota.Limits  // bytes that one operation reads and writes

	Live        live.Config // limits of streams
	WithoutLive bool        // the schema has no subscriptions, and no fields that wait
	Federation  bool        // the schema has what routers of a federated schema use
	NudgeSecret string      // the path of webhooks below /nudge/; "" for none

	Fleet *fleet.Fleet // what the replicas share; nil for none. New starts it

	Limits    limits.Config
	MaxBody   int64 // bytes of a request body
	MaxErrors int   // errors of a response; 0 means the transport's default
	Persisted persisted.Config
	CORS      cors.Config // without Log, which is the gateway's
}

// limitsOf completes the settings of limits.
func (g *Gateway) limitsOf() limits.Config {
	c := g.config.Limits
	c.DerivedFields = upstream.DerivedNames()
	c.Rate.SharedAddresses = g.config.Fleet != nil
	c.Rate.SharedIdentities = g.config.Fleet != nil && g.config.Authenticator.Verifies() // else a caller is its token
	return c
}

// persistedOf completes the settings of persisted documents, so that documents of a manifest are checked by the same
// rules as documents that clients send.
func (g *Gateway) persistedOf() persisted.Config {
	c := g.config.Persisted
	c.Schema, c.MaxTokens, c.Log = g.schema.Schema(), cmp.Or(g.config.Limits.Tokens, limits.DefaultTokens), g.config.Log
	c.Rules = g.rules
	if g.config.Fleet != nil {
		c.Fleet = sharedDocuments{g.config.Fleet, g.limited}
	}
	return c
}
