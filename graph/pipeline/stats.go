package pipeline

import (
	"context"
	"strings"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph"
	"pixgraph/graph/limits"
	"pixgraph/graph/persisted"
	"pixgraph/graph/projection"
	"pixgraph/graph/transport"
	"pixgraph/internal/quota"
	"pixgraph/upstream"
)

// Stats counts what a gateway has done since New. The keys of its maps are there from the beginning.
type Stats struct {
	FastFields     uint64                 // root fields that were answered by the fast path
	ExecutorFields uint64                 // root fields that were left to gqlgen, introspection aside
	Loads          map[string]graph.Loads // by the kind of record
	UnknownValues  map[string]uint64      // texts read that the spec does not list, by the enum's name
	LimitsHit      map[string]uint64      // requests refused or cut, by the limit's name as errors tell it
	Persisted      persisted.Stats
	MemoryHeld     int64 // bytes that requests hold
	DocumentBytes  int   // that parsed documents and their plans take
}

// limitRate is the name of the limits on how often a caller may ask, which errors tell by a code of its own.
const limitRate = "rate"

// limitOperations is the name of the limit on operations at a time, which errors tell by a code of its own too.
const limitOperations = "operations"

// limitMemory is the name of the bound on what all requests hold together.
const limitMemory = "memory"

// counters is what a gateway counts. Its maps never change.
type counters struct {
	executor atomic.Uint64 // root fields that gqlgen answered where there is no fast path
	unknown  projection.Unknown
	limits   map[string]*atomic.Uint64
}

func newCounters(schema *ast.Schema) *counters {
	c := &counters{unknown: projection.Unknown{}, limits: map[string]*atomic.Uint64{limitRate: {}}}
	for name, definition := range schema.Types {
		if definition.Kind == ast.Enum && definition.EnumValues.ForName(upstream.Unknown) != nil {
			c.unknown[name] = new(atomic.Uint64)
		}
	}
	for _, name := range append(limits.Names(), transport.LimitBody, transport.LimitDepth, transport.LimitValues, transport.LimitErrors,
		quota.LimitRead, quota.LimitAnswer) {
		c.limits[name] = new(atomic.Uint64)
	}
	return c
}

// limitHit counts a limit by its name.
func (c *counters) limitHit(name string) {
	if count := c.limits[name]; count != nil {
		count.Add(1)
	}
}

// Stats returns the counts so far. They are read one after the other, so two that belong together may be one apart.
func (g *Gateway) Stats() Stats {
	s := Stats{
		ExecutorFields: g.counts.executor.Load(),
		Loads:          g.lookups.Loads(),
		UnknownValues:  make(map[string]uint64, len(g.counts.unknown)), LimitsHit: make(map[string]uint64, len(g.counts.limits)),
		Persisted: g.persisted.Stats(),
	}
	if g.projector != nil {
		s.FastFields = g.projector.Answered()
		s.ExecutorFields += g.projector.Left()
	}
	for name, count := range g.counts.unknown {
		s.UnknownValues[name] = count.Load()
	}
	for name, count := range g.counts.limits {
		s.LimitsHit[name] = count.Load()
	}
	_, s.LimitsHit[limitOperations] = g.Operations()
	s.MemoryHeld, s.LimitsHit[limitMemory] = g.memory.Used()
	_, s.DocumentBytes = g.parsed.Size()
	return s
}

// withoutFastPath is the interceptor of root fields where there is no fast path.
func (c *counters) withoutFastPath(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
	if field := graphql.GetRootFieldContext(ctx); !strings.HasPrefix(field.Field.Name, "__") {
		c.executor.Add(1)
	}
	return next(ctx)
}

// field is the interceptor of fields that gqlgen answers: it bounds what they write, and counts the enums whose text it does
// not know.
func (c *counters) field(ctx context.Context, next graphql.Resolver) (any, error) {
	found, err := boundField(ctx, next)
	if value, ok := found.(interface{ Known() bool }); ok && err == nil && !value.Known() {
		if count := c.unknown[graphql.GetFieldContext(ctx).Field.Definition.Type.Name()]; count != nil {
			count.Add(1)
		}
	}
	return found, err
}
