// Package documents caches parsed and validated documents together with the plans and the rewritten operations that
// were made from them. It neither parses nor compiles, and it holds no variables and no response data.
//
// Read Cache first.
package documents

import (
	"hash/maphash"
	"sync"

	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/internal/lru"
	"pixgraph/internal/quota"
)

const (
	// DefaultMaxBytes bounds a cache. A document at the default limits takes 0.3 MiB at most, a typical one 20 KiB.
	DefaultMaxBytes = 24 << 20
	// maxPlanBytes bounds the plans of one document. It has room for all combinations of two Booleans on a screen of
	// many fields. A document with many Booleans cannot evict the documents of others by its plans.
	maxPlanBytes = 1 << 20
)

// Cache holds the most recently used documents.
//
//   - Key: the text of a document. Parsing and validation depend on nothing else. For plans see PlanKey.
//   - Bound: bytes, by the Size of documents and plans.
//   - Filled by: every caller, with each document that passed the limits and validation. An evicted document is parsed
//     again for its next request, which takes less than a millisecond; nothing else is lost.
//   - Emptied by: eviction of documents with all of their plans, by shares of callers (package lru).
//
// All callers share it: the entry of a document depends only on its text, not on the caller, except for the bytes that
// executions hold. Those depend on variables, so they are kept for some callers: what one caller requests does not make
// others wait for memory.
type Cache struct {
	seed       maphash.Seed
	mu         sync.Mutex
	byText     *lru.Cache[string, *entry]
	byDocument map[*ast.QueryDocument]*entry // the same entries as in byText
}

// entry is a document and its plans.
type entry struct {
	text      string
	document  *ast.QueryDocument
	bytes     int // document and plans
	planBytes int // plans only
	plans     map[PlanKey]any
	usual     [callerGroups]usual // each of the last caller of a group
}

// usual is the number of bytes that an execution holds for a caller, given as its hash; 0 if that is not known.
type usual struct {
	caller uint64
	bytes  int64
}

// callerGroups is the number of groups of callers.
const callerGroups = 32

// usualOf returns the place for a caller, which may have that of another one, and the hash of the caller. The cache is
// locked.
func (c *Cache) usualOf(document *ast.QueryDocument, caller string) (place *usual, hash uint64) {
	hash = maphash.String(c.seed, caller)
	e := c.byDocument[document]
	if e == nil {
		return new(usual), hash
	}
	return &e.usual[hash%callerGroups], hash
}

// PlanKey is everything in a document that the plan of an operation depends on.
type PlanKey struct {
	// Operation is the operation to execute: the fields of a fragment are merged with other fields in each operation.
	Operation *ast.OperationDefinition
	// Conditions distinguishes what is cached for one operation. For a plan: a digit for the value of each variable in
	// Conditions(operation), after the prefix "defer" or "repeated defer" if it is a plan of package deferral. For
	// another value: a constant, such as "query" for the query of a subscription.
	Conditions string
}

// New returns an empty cache; 0 bytes mean the default.
func New(maxBytes int) *Cache {
	if maxBytes <= 0 {
		maxBytes = DefaultMaxBytes
	}
	c := &Cache{seed: maphash.MakeSeed(), byDocument: map[*ast.QueryDocument]*entry{}}
	c.byText = lru.New[string](maxBytes, func(e *entry) int { return e.bytes }, func(e *entry) { delete(c.byDocument, e.document) })
	return c
}

// Get returns the document with this text, for a caller.
func (c *Cache) Get(caller, text string) (*ast.QueryDocument, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byText.GetFor(caller, text)
	if !ok {
		return nil, false
	}
	return e.document, true
}

// Add stores a valid document of a caller and returns its size in bytes.
func (c *Cache) Add(caller, text string, document *ast.QueryDocument) (bytes int) {
	size := int(prepare(text, document))
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byText.Has(text) { // another request parsed it at the same time
		return size
	}
	e := &entry{text: text, document: document, bytes: size}
	if c.byText.Add(caller, text, e); c.byText.Has(text) {
		c.byDocument[document] = e
	}
	return size
}

// Usual returns the number of bytes that an execution of a document usually holds for a caller; 0 if that is not known.
// others is the smallest number that is known of other callers.
func (c *Cache) Usual(document *ast.QueryDocument, caller string) (own, others int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.byDocument[document]; e != nil {
		for _, known := range e.usual {
			if known.bytes > 0 && (others == 0 || known.bytes < others) {
				others = known.bytes
			}
		}
	}
	if place, hash := c.usualOf(document, caller); place.caller == hash {
		own = place.bytes
	}
	return own, others
}

// Used stores the number of bytes that an execution of a document has held.
func (c *Cache) Used(document *ast.QueryDocument, caller string, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	place, hash := c.usualOf(document, caller)
	if place.caller != hash {
		*place = usual{caller: hash}
	}
	place.bytes = quota.Usual(place.bytes, bytes)
}

// Plan returns the plan that Keep stored for the key; false without a plan.
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

// Keep stores a plan with its document, until the document is evicted. If the plans of the document
// would exceed maxPlanBytes, its other plans are dropped.
func (c *Cache) Keep(document *ast.QueryDocument, key PlanKey, plan any, size Size) {
	bytes := int(size) + planOverhead + len(key.Conditions)
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
	c.byText.Grow(e.text, bytes)
}

func (c *Cache) dropPlans(e *entry) {
	e.bytes -= e.planBytes
	c.byText.Grow(e.text, -e.planBytes)
	e.planBytes, e.plans = 0, nil
}

// Size returns the number of cached documents, and their bytes including plans.
func (c *Cache) Size() (documents, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.byText.Len(), c.byText.Bytes()
}
