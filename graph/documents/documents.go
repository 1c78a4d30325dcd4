// Package documents remembers the documents that were parsed and validated, together with what was compiled from them: the
// plans of the fast path. It neither parses nor compiles, and it holds no variable and no value of an answer.
//
// Read first: Cache.
package documents

import (
	"context"
	"sync"

	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/internal/lru"
)

const (
	// DefaultMaxBytes bounds a cache. A document at the default limits takes 0.3 MiB at most, one of a usual client 20 KiB.
	DefaultMaxBytes = 24 << 20
	// maxPlanBytes bounds the plans of one document: more than all combinations of two Booleans on a screen of many fields.
	// A document of many Booleans cannot evict the documents of others by its plans.
	maxPlanBytes = 1 << 20
)

// Cache is the documents that ran last.
//
//   - Key: the text of a document. Parsing and validation depend on nothing else. For a plan see PlanKey.
//   - Bound: bytes, estimated for a document (sizeOf) and given for a plan.
//   - Filled by: every caller, with each document that passed the limits and validation. A document that is evicted is
//     parsed again for its next request, which takes less than a millisecond; nothing else is lost.
//   - Emptied by: eviction of the document that was not used for the longest time, with all of its plans.
//
// All callers share it: a document depends on its text alone, not on its sender.
type Cache struct {
	mu         sync.Mutex
	byText     *lru.Cache[string, *entry]
	byDocument map[*ast.QueryDocument]*entry // the same entries
}

// entry is a document and its plans.
type entry struct {
	document  *ast.QueryDocument
	bytes     int // of all
	planBytes int // of the plans alone
	plans     map[PlanKey]any
}

// PlanKey is everything within a document that the plan of a root field depends on.
type PlanKey struct {
	// Operation is the one that runs: fields of a fragment are merged with other fields in each operation.
	Operation *ast.OperationDefinition
	// ResponseKey is the name of the root field in the answer. In one operation it stands for one field.
	ResponseKey string
	// Conditions are the values of the variables that decide by @skip and @include what is selected, "" where none does.
	Conditions string
}

// New returns an empty cache; 0 bytes stand for the default.
func New(maxBytes int) *Cache {
	if maxBytes <= 0 {
		maxBytes = DefaultMaxBytes
	}
	c := &Cache{byDocument: map[*ast.QueryDocument]*entry{}}
	c.byText = lru.New[string](maxBytes, func(e *entry) int { return e.bytes }, func(e *entry) { delete(c.byDocument, e.document) })
	return c
}

// Has reports whether a document of this text is kept: then it was within the limits, and is valid.
func (c *Cache) Has(text string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.byText.Has(text)
}

// Get returns the document of a text, as graphql.Cache has it.
func (c *Cache) Get(_ context.Context, text string) (*ast.QueryDocument, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byText.Get(text)
	if !ok {
		return nil, false
	}
	return e.document, true
}

// Add keeps a document that is valid, and returns how many bytes it takes.
func (c *Cache) Add(text string, document *ast.QueryDocument) (bytes int) {
	size := prepare(text, document)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byText.Has(text) { // two requests parsed it at the same time
		return size
	}
	e := &entry{document: document, bytes: size}
	if c.byText.Add(text, e); c.byText.Has(text) {
		c.byDocument[document] = e
	}
	return size
}

// Plan returns what Keep was given for the key; false when it is not kept.
func (c *Cache) Plan(document *ast.QueryDocument, key PlanKey) (plan any, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byDocument[document]
	if e == nil {
		return nil, false
	}
	plan, ok = e.plans[key]
	return plan, ok
}

// Keep keeps a plan of so many bytes with its document, for as long as that is kept. Where the document would have too
// many plans, its other ones are dropped.
func (c *Cache) Keep(document *ast.QueryDocument, key PlanKey, plan any, bytes int) {
	bytes += planOverhead + len(key.Conditions)
	if bytes > maxPlanBytes {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byDocument[document]
	if e == nil {
		return
	}
	if _, ok := e.plans[key]; ok {
		return
	}
	if e.planBytes+bytes > maxPlanBytes {
		c.dropPlans(e)
	}
	if e.plans == nil {
		e.plans = map[PlanKey]any{}
	}
	e.plans[key] = plan
	e.planBytes += bytes
	e.bytes += bytes
	c.byText.Grow(bytes)
}

func (c *Cache) dropPlans(e *entry) {
	e.bytes -= e.planBytes
	c.byText.Grow(-e.planBytes)
	e.planBytes, e.plans = 0, nil
}

// Size is how many documents are kept, and their bytes with their plans.
func (c *Cache) Size() (documents, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.byText.Len(), c.byText.Bytes()
}
