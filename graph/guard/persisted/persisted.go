// Package persisted lets requests name a document instead of sending it: automatic persisted queries, which clients
// register by their SHA-256, and trusted documents, which an operator lists in a manifest file.
//
// Package serve calls it before all steps that read a document. It puts the named text into the request; parsing,
// limits, validation and execution then treat it as if the client had sent it. It does not handle HTTP and
// knows the caller only for shares. It stores documents only, never variables or responses.
//
// Read Documents.resolve first: it has all rules for choosing a request's document.
package persisted

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"pixgraph/graph/apierror"
	"pixgraph/internal/filewatch"
	"pixgraph/request"
)

// Config says which documents requests may name, and which they may send. The zero value knows no named document and
// accepts every text.
type Config struct {
	// MaxBytes bounds the sum of the registered documents; 0 means the default.
	MaxBytes int

	// Fleet has the documents that clients have registered at other replicas; nil for none. It is not used unless
	// clients may register documents.
	Fleet Fleet

	// Manifests are the paths of files of trusted documents, such as one for each client.
	Manifests []string
	// Only says what happens to a document that is not in the manifest; "" for OnlyOff.
	Only Only
	// Schema is the schema that the documents of the manifest are validated against; required with Manifests.
	Schema *ast.Schema
	// Rules returns the executor's validation rules; nil means those of gqlparser.
	Rules func() *rules.Rules
	// MaxTokens bounds each document of the manifest, as limits does: a longer document would be trusted and never run.
	// It is required with Manifests.
	MaxTokens int
	Log       *slog.Logger // required with Manifests
}

// Registers reports whether clients may register documents (automatic persisted queries).
func (c *Config) Registers() bool { return c.Only != OnlyOn }

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
	OnlyReport Only = "report" // they are accepted, and request.Call.Untrusted is set
)

// Fleet stores registered documents for the replicas of a fleet.
type Fleet interface {
	// Document returns the text with a hash. It has that hash and is not validated.
	Document(call *request.Call, hash [sha256.Size]byte) (text string, ok bool)
	// Register stores a text that was validated, later.
	Register(call *request.Call, hash [sha256.Size]byte, text string)
}

// DefaultMaxBytes has room for 1,000 documents of 8 KiB, including the overhead of the index.
const DefaultMaxBytes = 8 << 20

// Documents resolves the documents that requests name. It is safe for concurrent use, and must be closed.
type Documents struct {
	only         Only
	store        *store   // empty with OnlyOn
	fleet        Fleet    // nil for none
	manifest     manifest // without a file, it trusts no document
	hits, misses atomic.Uint64
	stop         func() // ends the checks of the manifest; nil without a file
}

// New checks the settings, reads the manifest and starts to watch it. Its error names the invalid setting, and the
// invalid document of the manifest if there is one.
func New(c Config) (*Documents, error) {
	d := &Documents{only: cmp.Or(c.Only, OnlyOff), store: newStore(cmp.Or(c.MaxBytes, DefaultMaxBytes))}
	d.manifest.config = c
	d.manifest.current.Store(new(set))
	if c.Registers() {
		d.fleet = c.Fleet
	}
	if len(c.Manifests) == 0 {
		return d, c.Check()
	}
	for _, path := range c.Manifests {
		d.manifest.files = append(d.manifest.files, filewatch.File{Path: path, Max: maxManifest})
	}
	trusted, err := d.manifest.load()
	if err != nil {
		return nil, fmt.Errorf("persisted_manifest: %w", err)
	}
	d.manifest.current.Store(trusted)
	d.stop = filewatch.Watch(d.manifest.poll)
	return d, nil
}

// Close stops watching the manifest and waits for a reload in progress. Requests can still be served after it.
func (d *Documents) Close() {
	if d.stop != nil {
		d.stop()
	}
}

// Resolve puts the text of the document that the parameters of a call name into them. Its error is an *apierror.Error.
func (d *Documents) Resolve(call *request.Call, params *graphql.RawParams) error {
	if call.Tool {
		return nil
	}
	named := params.Query == ""
	var refused *apierror.Error
	call.Unregistered, refused = d.resolve(call, params)
	switch {
	case refused == errNotFound:
		d.misses.Add(1)
	case refused == nil && named && params.Query != "":
		d.hits.Add(1)
	}
	if refused != nil {
		return refused
	}
	if d.only == OnlyReport {
		call.Untrusted = !d.manifest.current.Load().has(params.Query)
	}
	return nil
}

// Register registers the document that a client sent with its hash, or that another replica has registered. It is
// called after parsing, validation and all limits, so invalid documents cannot fill the store.
func (d *Documents) Register(call *request.Call) {
	sent := call.Unregistered
	if sent == nil {
		return
	}
	d.store.add(call.Share(), sent.Hash, sent.Text)
	if d.fleet != nil && !sent.Shared {
		d.fleet.Register(call, sent.Hash, sent.Text)
	}
}

// Stats counts the requests that named a document since New.
type Stats struct {
	Hits   uint64 // requests whose document was found
	Misses uint64 // requests whose document is unknown
}

// Stats returns the current counts.
func (d *Documents) Stats() Stats { return Stats{d.hits.Load(), d.misses.Load()} }
