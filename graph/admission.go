package graph

import (
	"context"

	"pixgraph/auth"
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
	caller := CallerKey(ctx)
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

// openAccounts makes the accounts of requests, which bound what each reads and answers and what all hold together.
func (g *Gateway) openAccounts(limits quota.Limits) func(*auth.Identity) *quota.Account {
	return func(caller *auth.Identity) *quota.Account { return quota.NewAccount(g.memory, caller.Caller(), limits) }
}
