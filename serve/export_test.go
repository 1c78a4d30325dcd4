package serve

import (
	"pixgraph/internal/quota"
	"pixgraph/upstream/live"
)

// Operations returns the number of admitted operations, and the number of those rejected since New.
func (g *Gateway) Operations() (admitted int64, refused uint64) { return g.slots.Used() }

// Memory returns the number of bytes that requests hold, and how often a request was denied more.
func (g *Gateway) Memory() (bytes int64, refused uint64) { return g.memory.Used() }

// Live returns the counters of streams.
func (g *Gateway) Live() live.Stats { return g.live.Stats() }

// Usual returns what executions of a document usually hold for a caller.
func (g *Gateway) Usual(text, caller string) int64 {
	document, _ := g.parsed.Get("", text)
	usual, _ := g.parsed.Usual(document, caller)
	return usual
}

// Hold takes memory for a caller.
func (g *Gateway) Hold(caller string, bytes int64) (release func(), ok bool) {
	return func() { g.memory.Requests.Return(caller, bytes) }, g.memory.Requests.Take(caller, bytes)
}

// WebSockets returns the number of open WebSockets.
func (g *Gateway) WebSockets() int { return g.webSockets.Open() }

// OneTurn leaves one turn to compute, which operations give up at each step for another caller.
func (g *Gateway) OneTurn() *quota.Turns {
	g.turns = quota.NewTurns(1, 0)
	return g.turns
}
