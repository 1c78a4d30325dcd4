package serve

import (
	"cmp"
	"sync/atomic"

	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph"
	"pixgraph/graph/execute/projection"
	"pixgraph/graph/guard/limits"
	"pixgraph/graph/guard/persisted"
	"pixgraph/internal/quota"
	"pixgraph/serve/message"
	"pixgraph/serve/run"
	"pixgraph/serve/websocket"
	"pixgraph/upstream/live"
)

// Stats counts events since New. All keys of its maps exist from the start.
type Stats struct {
	Loads         map[string]graph.Loads // by kind of record
	UnknownValues map[string]uint64      // values outside the documented enums, by the enum's name
	LimitsHit     map[string]uint64      // requests rejected or truncated, by the limit's name in errors
	Persisted     persisted.Stats
	MemoryHeld    int64 // bytes held by requests
	DocumentBytes int   // bytes of parsed documents and their plans

	// Addresses of clients sent a token lately, and AddressesRefused only invalid ones.
	Addresses, AddressesRefused int

	Live        live.Stats
	Protocols   map[string]int // streams by protocol
	StreamBytes int            // bytes that streams hold
	MaxStreams  int            // streams at most
	MaxReads    int            // reads of streams per second at most
}

// The keys in Stats.LimitsHit of limits whose errors have no limit name, but a code other than LIMIT_EXCEEDED.
const (
	limitRate       = "rate"       // the rate limits
	limitOperations = "operations" // concurrent operations
	limitMemory     = "memory"     // the memory held by all requests
	limitAllStreams = "streams"    // streams and WebSockets of all callers, and the memory of streams
)

// counters are the counters of a gateway. The keys of its maps never change.
type counters struct {
	unknown projection.Unknown
	limits  map[string]*atomic.Uint64
}

func newCounters(schema *ast.Schema) *counters {
	c := &counters{unknown: projection.Unknown{}, limits: map[string]*atomic.Uint64{limitRate: {}, limitAllStreams: {}}}
	for _, definition := range schema.Types {
		for _, field := range definition.Fields { // an enum whose text the API sends has a twin field with that text
			enum := schema.Types[field.Type.Name()]
			if enum.Kind == ast.Enum && definition.Fields.ForName(field.Name+"Raw") != nil {
				c.unknown[enum.Name] = new(atomic.Uint64)
			}
		}
	}
	for _, name := range append(limits.Names(), message.LimitBody, message.LimitDepth, message.LimitValues, run.LimitErrors,
		quota.LimitRead, quota.LimitAnswer, graph.LimitLinks, run.LimitStreams, limitStreamBytes, websocket.LimitOperations) {
		c.limits[name] = new(atomic.Uint64)
	}
	return c
}

// limitHit counts a hit of the named limit.
func (c *counters) limitHit(name string) {
	if count := c.limits[name]; count != nil {
		count.Add(1)
	}
}

// Stats returns the current counts. They are read one by one, so related counts may differ by one.
func (g *Gateway) Stats() Stats {
	s := Stats{
		Loads:         g.schema.Lookups.Loads(),
		UnknownValues: make(map[string]uint64, len(g.counts.unknown)), LimitsHit: make(map[string]uint64, len(g.counts.limits)),
		Persisted: g.persisted.Stats(),
	}
	for name, count := range g.counts.unknown {
		s.UnknownValues[name] = count.Load()
	}
	for name, count := range g.counts.limits {
		s.LimitsHit[name] = count.Load()
	}
	_, s.LimitsHit[limitOperations] = g.slots.Used()
	s.MemoryHeld, s.LimitsHit[limitMemory] = g.memory.Used()
	_, s.DocumentBytes = g.parsed.Size()
	addresses := g.addresses.Count()
	s.Addresses, s.AddressesRefused = addresses.All, addresses.Unsuccessful
	s.Live, s.StreamBytes, s.Protocols = g.live.Stats(), g.streamMemory.held(), map[string]int{}
	s.MaxStreams, _ = g.live.Limits()
	s.MaxReads = cmp.Or(g.config.Live.Polls, live.DefaultPolls)
	for i, name := range protocols {
		s.Protocols[name] = int(g.streams[i].Load())
	}
	return s
}
