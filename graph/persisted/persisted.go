// Package persisted lets requests name a document in place of sending it: automatic persisted queries, which clients
// register by their SHA-256 as they go, and trusted documents, which an operator lists in a manifest file.
//
// It is a gqlgen extension that stands before everything else that looks at a document: it puts the named text into the
// request, and parsing, limits, validation and execution treat it as if it had been sent. It reads no HTTP, knows no
// caller, and keeps texts only, never variables or answers.
//
// Read first: Documents.resolve, which has every rule of which document a request runs.
package persisted

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// Config says which documents requests may name, and which they may send. The zero value knows no document and lets
// every text through.
type Config struct {
	// Automatic turns automatic persisted queries on. With Only, which refuses what they would register, it means nothing.
	Automatic bool
	// MaxBytes bounds the documents that clients registered, all together; 0 takes the default.
	MaxBytes int

	// Manifest is the file of trusted documents, "" for none.
	Manifest string
	// Only refuses every document that is not in the manifest.
	Only bool
	// Schema is what the documents of the manifest have to fit; needed with Manifest.
	Schema *ast.Schema
	// Rules makes the rules of validation, the executor's own; nil for gqlparser's.
	Rules func() *rules.Rules
	// MaxTokens bounds each document of the manifest as the executor bounds it; 0 takes the default.
	MaxTokens int
	// Ticks says when to look whether the manifest changed; nil for a ticker of PollEvery.
	Ticks <-chan time.Time
	Log   *slog.Logger // needed with Manifest
}

const (
	// DefaultMaxBytes is room for 1,000 documents of 8 KiB, with what the index costs.
	DefaultMaxBytes = 8 << 20
	// DefaultMaxTokens is the executor's own default: a longer document would be trusted and yet never run.
	DefaultMaxTokens = 1000
	// PollEvery is how soon a new manifest is taken: soon enough for a deployment, and one stat costs nothing.
	PollEvery = 5 * time.Second
)

// Documents is a gqlgen extension that finds the documents that requests name. It is safe for use by many goroutines at
// once, and must be closed.
type Documents struct {
	automatic bool
	only      bool
	schema    *ast.Schema // nil without a manifest
	store     *store      // empty unless automatic
	manifest  *manifest   // nil without one
	none      set         // what is trusted without a manifest
	counts    counts
	stop      chan struct{}
	closing   sync.Once
	watching  sync.WaitGroup
}

// New checks the settings, reads the manifest, and begins to watch it. Its error names the setting that is wrong, and
// the document of the manifest where it is one.
func New(c Config) (*Documents, error) {
	d := &Documents{
		automatic: c.Automatic,
		only:      c.Only,
		store:     newStore(orDefault(c.MaxBytes, DefaultMaxBytes)),
		stop:      make(chan struct{}),
	}
	if c.Manifest == "" {
		if c.Only {
			return nil, errors.New("persisted_only: needs persisted_manifest, or no document could run")
		}
		return d, nil
	}
	if c.Schema == nil || c.Log == nil {
		return nil, errors.New("persisted: a manifest needs Config.Schema and Config.Log")
	}
	d.schema = c.Schema
	d.manifest = &manifest{
		path: c.Manifest,
		rule: rule{schema: c.Schema, rules: c.Rules, maxTokens: orDefault(c.MaxTokens, DefaultMaxTokens)},
		log:  c.Log,
	}
	if err := d.manifest.open(); err != nil {
		return nil, err
	}
	d.watching.Go(func() { d.watch(c.Ticks) })
	return d, nil
}

func orDefault(n, fallback int) int {
	if n <= 0 {
		return fallback
	}
	return n
}

// watch looks at the manifest with every tick until Close.
func (d *Documents) watch(ticks <-chan time.Time) {
	if ticks == nil {
		ticker := time.NewTicker(PollEvery)
		defer ticker.Stop()
		ticks = ticker.C
	}
	for {
		select {
		case <-d.stop:
			return
		case <-ticks:
			d.manifest.poll()
		}
	}
}

// Close stops watching the manifest and waits for a reload under way. Requests are answered even after it.
func (d *Documents) Close() {
	d.closing.Do(func() { close(d.stop) })
	d.watching.Wait()
}

// extensionName is this extension's name, and the key of what it leaves in an operation's Stats.
const extensionName = "PersistedDocuments"

// ExtensionName implements graphql.HandlerExtension.
func (d *Documents) ExtensionName() string { return extensionName }

// Validate implements graphql.HandlerExtension: trusted documents were checked against a schema, and it has to be the
// server's.
func (d *Documents) Validate(server graphql.ExecutableSchema) error {
	if d.schema != nil && d.schema != server.Schema() {
		return errors.New("persisted: Config.Schema is not the schema of the server")
	}
	return nil
}

// MutateOperationParameters implements graphql.OperationParameterMutator: it puts the text of the document that the
// request names into the request. Its error holds an *apierror.Error.
func (d *Documents) MutateOperationParameters(ctx context.Context, params *graphql.RawParams) *gqlerror.Error {
	sent := params.Query
	unregistered, refused := d.resolve(params)
	d.counts.note(sent, params.Query, refused)
	if refused != nil {
		return refused.Wrap()
	}
	if unregistered != nil {
		graphql.GetOperationContext(ctx).Stats.SetExtension(extensionName, unregistered)
	}
	return nil
}

// InterceptOperation implements graphql.OperationInterceptor: it registers the document that a client sent with its
// hash. An operation comes here only when nothing refused it, neither parser nor validation nor a limit of any other
// extension, so the store cannot be filled with rubbish.
func (d *Documents) InterceptOperation(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
	if sent, ok := graphql.GetOperationContext(ctx).Stats.GetExtension(extensionName).(*registration); ok {
		d.store.add(sent.hash, sent.text)
	}
	return next(ctx)
}
