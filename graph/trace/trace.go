// Package trace collects the upstream calls of an operation for extensions.trace. Its result holds no ids and nothing
// that the APIs sent.
//
// Read Collector first.
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

// Trace is the value of extensions.trace: the calls that an operation made or waited for, in the order of their start.
// It holds no ids and nothing that the APIs sent. Times are in microseconds since the start of the operation.
type Trace struct {
	DurationMicros int64  `json:"durationMicros"`
	GatewayMicros  int64  `json:"gatewayMicros"` // the part of it without any call in progress
	Calls          []Call `json:"calls"`
}

// Call is one call.
type Call struct {
	Service        upstream.Service `json:"service"`
	Route          string           `json:"route"`
	Status         int              `json:"status"`  // 0 without a response
	Outcome        string           `json:"outcome"` // "ok", or the code of an error
	Bytes          int              `json:"bytes"`   // the body, after decompression
	EncodedBytes   int              `json:"encodedBytes"`
	StartMicros    int64            `json:"startMicros"`
	DurationMicros int64            `json:"durationMicros"`
	WaitedMicros   int64            `json:"waitedMicros"` // for its turn, before it started
	Attempt        int              `json:"attempt"`      // from 1; 0 if coalesced
	Coalesced      bool             `json:"coalesced"`    // the operation waited for an equal call, which had not been sent yet
	Fields         []ast.Path       `json:"fields"`       // the paths of the fields that requested it
	Joined         int              `json:"joined"`       // the number of those that found it already requested
}

// Collector collects the calls of one operation. The cost of the operation bounds the number of calls and fields. It is
// released with the response.
type Collector struct {
	began  time.Time
	mu     sync.Mutex
	fields map[record]*Fields
	calls  []traced
}

// New starts a collector.
func New() *Collector { return &Collector{began: time.Now(), fields: map[record]*Fields{}} }

// record identifies a record.
type record struct{ noun, id string }

// Fields is the fields that requested one record.
type Fields struct{ paths []ast.Path }

// NewFields returns a Fields with one field.
func NewFields(field ast.Path) *Fields { return &Fields{[]ast.Path{field}} }

// traced is a completed call and the fields that requested it.
type traced struct {
	client.Exchange
	fields *Fields
}

// AddField adds a field that requests a record.
func (c *Collector) AddField(noun, id string, field ast.Path) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.fields[record{noun, id}]
	if known == nil {
		known = &Fields{}
		c.fields[record{noun, id}] = known
	}
	known.paths = append(known.paths, field)
}

// FieldsOf returns the fields that requested a record.
func (c *Collector) FieldsOf(noun, id string) *Fields {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fields[record{noun, id}]
}

// Add adds a completed call and the fields that requested it.
func (c *Collector) Add(e client.Exchange, fields *Fields) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = append(c.calls, traced{e, fields})
}

// Trace returns what was collected so far. outcome maps the error of a call to its code.
func (c *Collector) Trace(outcome func(error) string) Trace {
	duration := time.Since(c.began)
	c.mu.Lock()
	defer c.mu.Unlock()
	slices.SortFunc(c.calls, func(a, b traced) int { return cmp.Compare(a.Start.UnixNano(), b.Start.UnixNano()) })
	trace := Trace{DurationMicros: duration.Microseconds(), Calls: make([]Call, len(c.calls))}
	var busy, until time.Duration // the time with a call in progress, and the latest end of the calls so far
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
		Attempt: c.Attempt, Coalesced: c.Coalesced, Fields: slices.Clone(c.fields.paths), Joined: len(c.fields.paths) - 1,
	}
	if c.Err != nil {
		shown.Outcome = outcome(c.Err)
	}
	return shown
}
