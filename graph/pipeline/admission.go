package pipeline

import (
	"context"

	"pixgraph/graph"
	"pixgraph/internal/quota"
)

// admission bounds how many operations are served at a time. An operation is admitted when its request has been read and
// its caller is known, and gives its place back before its answer is sent: no client that is slow, and no issuer that does
// not answer, decides how long a place is taken. What a request holds before and after that is memory, which is bounded by
// its account.
type admission struct{ places *quota.Pool }

func newAdmission(most int) admission { return admission{quota.NewPool(int64(most), 1)} }

// admit takes a place for the operation of the caller in ctx; it is given back by leave. It is made for transport.Config.
func (a admission) admit(ctx context.Context) (leave func(), ok bool) {
	caller := graph.RequestOf(ctx).Caller()
	if !a.places.Take(caller, 1) {
		return nil, false
	}
	return func() { a.places.Return(caller, 1) }, true
}

// Operations is how many operations are served at the moment, and how many were refused because there were too many.
func (g *Gateway) Operations() (inside int, refused uint64) {
	used, refused := g.admission.places.Used()
	return int(used), refused
}

// Memory is how many bytes the requests hold at the moment, and how often one was refused more.
func (g *Gateway) Memory() (bytes int64, refused uint64) { return g.memory.Used() }
