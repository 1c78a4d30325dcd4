// Package persisted lets requests name a document instead of sending it: automatic persisted queries, which clients
// register by their SHA-256, and trusted documents, which an operator lists in a manifest file.
//
// It is a gqlgen extension that runs before all others that read a document. It puts the named text into the request;
// parsing, limits, validation and execution then treat it as if the client had sent it. It does not handle HTTP and
// knows the caller only for shares. It stores documents only, never variables or responses.
//
// Read Documents.resolve first: it has all rules for choosing a request's document.
package persisted

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"pixgraph/internal/filewatch"
)

// Config says which documents requests may name, and which they may send. The zero value knows no named document and
// accepts every text.
type Config struct {
	// Automatic turns automatic persisted queries on. It has no effect together with OnlyOn, which rejects unregistered
	// documents.
	Automatic bool
	// MaxBytes bounds the sum of the registered documents; 0 means the default.
	MaxBytes int
	// Share returns whose share of them the request in ctx uses; nil for one share of all.
	Share func(context.Context) string

	// Fleet has the documents that clients have registered at other replicas; nil for none. It is not used unless
	// clients may register documents.
	Fleet Fleet

	// Manifests are the paths of files of trusted documents, such as one for each client.
	Manifests []string
	// Only says what happens to a document that is not in the manifest; "" for OnlyOff.
	Only Only
	// Own reports whether the document in ctx is one of the gateway itself, which is trusted; nil for never.
	Own func(context.Context) bool
	// Untrusted is called for each document that only OnlyReport accepts, before it is parsed; nil for nothing.
	Untrusted func(context.Context)
	// Schema is the schema that the documents of the manifest are validated against; required with Manifests.
	Schema *ast.Schema
	// Rules returns the executor's validation rules; nil means those of gqlparser.
	Rules func() *rules.Rules
	// MaxTokens bounds each document of the manifest, as limits does: a longer document would be trusted and never run.
	// It is required with Manifests.
	MaxTokens int
	Log       *slog.Logger // required with Manifests
}

// Registers reports whether clients may register documents.
func (c *Config) Registers() bool { return c.Automatic && c.Only != OnlyOn }

// Check returns an error if the settings contradict each other, whatever the manifest has.
func (c *Config) Check() error {
	if len(c.Manifests) == 0 && cmp.Or(c.Only, OnlyOff) != OnlyOff {
		return errors.New("persisted_only: needs persisted_manifest, or no document could run")
	}
	return nil
}

// Only is what happens to documents that are not in the manifest.
type Only string

const (
	OnlyOff    Only = "off"    // they are accepted
	OnlyOn     Only = "on"     // they are rejected
	OnlyReport Only = "report" // they are accepted, and reported to Config.Untrusted
)

// Fleet stores registered documents for the replicas of a fleet.
type Fleet interface {
	// Document returns the text with a hash. It has that hash and is not validated.
	Document(ctx context.Context, hash [sha256.Size]byte) (text string, ok bool)
	// Register stores a text that was validated, later.
	Register(ctx context.Context, hash [sha256.Size]byte, text string)
}

// DefaultMaxBytes has room for 1,000 documents of 8 KiB, including the overhead of the index.
const DefaultMaxBytes = 8 << 20

// Documents is a gqlgen extension that resolves the documents that requests name. It is safe for concurrent use, and
// must be closed.
type Documents struct {
	automatic    bool
	only         Only
	own          func(context.Context) bool
	untrusted    func(context.Context)
	share        func(context.Context) string
	store        *store    // empty unless automatic
	fleet        Fleet     // nil for none
	manifest     *manifest // nil without a manifest file
	none         set       // the trusted documents without a manifest
	hits, misses atomic.Uint64
	stop         func() // ends the checks of the manifest; nil without a file
}

// New checks the settings, reads the manifest and starts to watch it. Its error names the invalid setting, and the
// invalid document of the manifest if there is one.
func New(c Config) (*Documents, error) {
	d := &Documents{
		automatic: c.Automatic, only: cmp.Or(c.Only, OnlyOff), own: c.Own, untrusted: c.Untrusted, share: c.Share,
		store: newStore(cmp.Or(c.MaxBytes, DefaultMaxBytes)),
	}
	if d.share == nil {
		d.share = func(context.Context) string { return "" }
	}
	if c.Registers() {
		d.fleet = c.Fleet
	}
	if len(c.Manifests) == 0 {
		return d, c.Check()
	}
	d.manifest = &manifest{config: c}
	for _, path := range c.Manifests {
		d.manifest.files = append(d.manifest.files, filewatch.File{Path: path, Max: maxManifest})
	}
	if err := d.manifest.open(); err != nil {
		return nil, err
	}
	d.stop = filewatch.Watch(d.manifest.poll)
	return d, nil
}

// Close stops watching the manifest and waits for a reload in progress. Requests can still be served after it.
func (d *Documents) Close() {
	if d.stop != nil {
		d.stop()
	}
}

// extensionName is the name of this extension and the key of its value in an operation's Stats.
const extensionName = "PersistedDocuments"

// ExtensionName implements graphql.HandlerExtension.
func (d *Documents) ExtensionName() string { return extensionName }

// Validate implements graphql.HandlerExtension.
func (d *Documents) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationParameters implements graphql.OperationParameterMutator. It puts the text of the named document into
// the request. Its error holds an *apierror.Error.
func (d *Documents) MutateOperationParameters(ctx context.Context, params *graphql.RawParams) *gqlerror.Error {
	if d.own != nil && d.own(ctx) {
		return nil
	}
	named := params.Query == ""
	unregistered, refused := d.resolve(ctx, params)
	switch {
	case refused == errNotFound:
		d.misses.Add(1)
	case refused == nil && named && params.Query != "":
		d.hits.Add(1)
	}
	if refused != nil {
		return refused.Wrap()
	}
	if d.only == OnlyReport && d.untrusted != nil && !d.trusted().has(params.Query) {
		d.untrusted(ctx)
	}
	if unregistered != nil {
		graphql.GetOperationContext(ctx).Stats.SetExtension(extensionName, unregistered)
	}
	return nil
}

// InterceptOperation implements graphql.OperationInterceptor. It registers the document that a client sent with its
// hash, or that another replica has registered. It runs only after parsing, validation and all limits, so invalid
// documents cannot fill the store.
func (d *Documents) InterceptOperation(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
	if sent, ok := graphql.GetOperationContext(ctx).Stats.GetExtension(extensionName).(*registration); ok {
		d.store.add(d.share(ctx), sent.hash, sent.text)
		if d.fleet != nil && !sent.shared {
			d.fleet.Register(ctx, sent.hash, sent.text)
		}
	}
	return next(ctx)
}

// Stats counts the requests that named a document since New.
type Stats struct {
	Hits   uint64 // requests whose document was found
	Misses uint64 // requests whose document is unknown
}

// Stats returns the current counts.
func (d *Documents) Stats() Stats { return Stats{d.hits.Load(), d.misses.Load()} }
