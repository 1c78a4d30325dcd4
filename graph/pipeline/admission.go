package pipeline

import (
	"context"

	"pixgraph/graph"
	"pixgraph/internal/quota"
)

// admission bounds the number of concurrent operations. An operation is admitted when its request has been read and its
// caller is known, and releases its slot before its response is sent. So a slow client or an unresponsive issuer cannot
// occupy a slot. The memory that a request holds before and after that is bounded by its account.
type admission struct{ slots *quota.Pool }

func newAdmission(most int) admission { return admission{quota.NewPool(int64(most), 1)} }

// admit takes a slot for the operation of the caller in ctx; leave releases it. It is the Admit function of
// transport.Config.
func (a admission) admit(ctx context.Context) (leave func(), ok bool) {
	caller := graph.RequestOf(ctx).Caller()
	if !a.slots.Take(caller, 1) {
		return nil, false
	}
	return func() { a.slots.Return(caller, 1) }, true
}

// Operations returns the number of admitted operations, and the number of those rejected since New.
func (g *Gateway) Operations() (admitted int, refused uint64) {
	used, refused := g.admission.slots.Used()
	return int(used), refused
}

// Memory returns the number of bytes that requests hold, and how often a request was denied more.
func (g *Gateway) Memory() (bytes int64, refused uint64) { return g.memory.Used() }
