package graph

import (
	"net/http"
	"sync/atomic"
)

// admission bounds how many requests of operations are served at a time, so that memory is bounded when the APIs are slow.
// It comes before authentication: verifying a signature is the dearest thing that a request can cost before it runs, and
// what is refused must cost less than what is served. Who has no token cannot hold a place: without one a request is over
// before its body is read.
type admission struct {
	most    int64 // 0 for no bound
	inside  atomic.Int64
	refused atomic.Uint64
}

// retryAfterOverload is the Retry-After of a request that found no place, in seconds: operations end within a fraction of
// one when all is well.
const retryAfterOverload = "1"

func (a *admission) admit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inside := a.inside.Add(1)
		defer a.inside.Add(-1)
		if a.most > 0 && inside > a.most {
			a.refused.Add(1)
			w.Header().Set("Retry-After", retryAfterOverload)
			told := extensions(codeOverloaded, true)
			told["retryAfterMs"] = 1000
			writeError(w, r, http.StatusServiceUnavailable, "too many operations are served at the moment: try again later", told)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Operations tells how many requests of operations are served at the moment, and how many were refused because there were
// too many.
func (g *Gateway) Operations() (inside int, refused uint64) {
	return int(g.admission.inside.Load()), g.admission.refused.Load()
}
