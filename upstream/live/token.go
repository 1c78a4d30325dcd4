package live

import (
	"time"

	"pixgraph/upstream"
)

// tokenKey identifies a token as one of the APIs knows it.
type tokenKey struct {
	caller  string // the SHA-256 of the token
	service upstream.Service
}

// token is the rate limit of an API for one token, which all of its watches obey.
//
//   - Key: SHA-256 of the token, and the API.
//   - Bound: one for each watch at most, 200 bytes with the map entry. It is part of the 1 KiB of a stream.
//   - Filled by: the first watch of the token.
//   - Emptied by: the end of the last watch of the token.
type token struct {
	watches int
	pause   time.Time // no read before: the API rejected one with 429
	err     error     // that rejection
}

// tokenOf returns the token of a new watch.
func (e *Engine) tokenOf(key tokenKey) *token {
	t := e.tokens[key]
	if t == nil {
		t = &token{}
		e.tokens[key] = t
	}
	t.watches++
	return t
}

// dropToken removes a watch from its token, and the token if it was the last one.
func (e *Engine) dropToken(key tokenKey) {
	if t := e.tokens[key]; t.watches > 1 {
		t.watches--
	} else {
		delete(e.tokens, key)
	}
}

// paused returns the error because of which a watch must not read now; nil if it may. The pause of its token becomes its own, which
// is longer, so that the watches of the token do not all read at its end.
func (w *watch) paused(now time.Time) error {
	if t := w.token; now.Before(t.pause) && w.pause.Before(t.pause) {
		w.pause = t.pause.Add(w.engine.spread())
		return t.err
	}
	if now.Before(w.pause) {
		return w.err
	}
	return nil
}

// spread returns a random time to add to the end of a pause of several watches. All records can be read in the longest one.
func (e *Engine) spread() time.Duration {
	all := time.Duration(len(e.records)) * time.Second / time.Duration(e.config.Polls)
	return e.random(max(2*e.config.Interval, all))
}
