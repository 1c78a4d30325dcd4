// Package trace collects the calls that an operation led to, for extensions.trace. It holds no ids in what it shows, and
// nothing of what the APIs sent.
//
// Read first: Collector.
package trace

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// Trace is the value of extensions.trace: the calls that an operation led to or waited for, in the order in which they
// began. It holds no ids, and nothing of what the APIs sent. Times are in microseconds, from the beginning of the operation.
type Trace struct {
	DurationMicros int64  `json:"durationMicros"`
	GatewayMicros  int64  `json:"gatewayMicros"` // of which no call was under way
	Calls          []Call `json:"calls"`
}

// Call is one call.
type Call struct {
	Service        upstream.Service `json:"service"`
	Route          string           `json:"route"`
	Status         int              `json:"status"`  // 0 where no answer came
	Outcome        string           `json:"outcome"` // "ok", or an error's code
	Bytes          int              `json:"bytes"`   // of the body, after decompression
	EncodedBytes   int              `json:"encodedBytes"`
	StartMicros    int64            `json:"startMicros"`
	DurationMicros int64            `json:"durationMicros"`
	WaitedMicros   int64            `json:"waitedMicros"` // for a turn, before it began
	Attempt        int              `json:"attempt"`      // from 1; 0 where it was coalesced
	Coalesced      bool             `json:"coalesced"`    // not made: the same call was under way already, and was waited for
	Fields         []ast.Path       `json:"fields"`       // that asked for it
	Joined         int              `json:"joined"`       // of them, those that found it asked for already
}

// Collector collects the calls of one operation, whose cost bounds how many there are and how many fields ask for them. It
// ends with the response.
type Collector struct {
	began time.Time
	mu    sync.Mutex
	asks  map[askKey]*Ask
	calls []traced
}

// New begins to collect.
func New() *Collector { return &Collector{began: time.Now(), asks: map[askKey]*Ask{}} }

// askKey tells records apart.
type askKey struct{ noun, id string }

// Ask is the fields that asked for one record.
type Ask struct{ fields []ast.Path }

// NewAsk is the ask of one field.
func NewAsk(field ast.Path) *Ask { return &Ask{[]ast.Path{field}} }

// traced is a call that ended, and what it was made for.
type traced struct {
	client.Exchange
	ask *Ask
}

// Asked notes that a field asks for a record.
func (c *Collector) Asked(noun, id string, field ast.Path) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.asks[askKey{noun, id}]
	if known == nil {
		known = &Ask{}
		c.asks[askKey{noun, id}] = known
	}
	known.fields = append(known.fields, field)
}

// AskOf returns the fields that asked for a record.
func (c *Collector) AskOf(noun, id string) *Ask {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asks[askKey{noun, id}]
}

// Add notes a call that ended, and what it was made for.
func (c *Collector) Add(e client.Exchange, ask *Ask) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = append(c.calls, traced{e, ask})
}

// Trace is what was collected until now. outcome names what an error of a call is to a client.
func (c *Collector) Trace(outcome func(error) string) Trace {
	duration := time.Since(c.began)
	c.mu.Lock()
	defer c.mu.Unlock()
	slices.SortFunc(c.calls, func(a, b traced) int { return cmp.Compare(a.Start.UnixNano(), b.Start.UnixNano()) })
	trace := Trace{DurationMicros: duration.Microseconds(), Calls: make([]Call, len(c.calls))}
	var busy, until time.Duration // with a call under way, as far as the calls until now reach
	for i, call := range c.calls {
		start := call.Start.Sub(c.began)
		if end := start + call.Duration; end > until {
			busy += end - max(start, until)
			until = end
		}
		trace.Calls[i] = call.shown(start, outcome)
	}
	trace.GatewayMicros = (duration - busy).Microseconds()
	return trace
}

func (c traced) shown(start time.Duration, outcome func(error) string) Call {
	shown := Call{
		Service: c.Service, Route: c.Route, Status: c.Status, Outcome: "ok", Bytes: c.Bytes, EncodedBytes: c.EncodedBytes,
		StartMicros: start.Microseconds(), DurationMicros: c.Duration.Microseconds(), WaitedMicros: c.Waited.Microseconds(),
		Attempt: c.Attempt, Coalesced: c.Coalesced, Fields: slices.Clone(c.ask.fields), Joined: len(c.ask.fields) - 1,
	}
	if c.Err != nil {
		shown.Outcome = outcome(c.Err)
	}
	return shown
}
