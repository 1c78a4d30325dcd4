package live

import (
	"time"

	"pixgraph/upstream"
)

// tokenKey identifies a token as one of the APIs knows it.
type tokenKey struct {
	token   string // its SHA-256
	service upstream.Service
}

// tokenLimit is the rate limit of an API for one token, which all of its watches obey.
//
//   - Key: SHA-256 of the token, and the API.
//   - Bound: one for each watch at most, 200 bytes with the map entry. It is part of the 1 KiB of a stream.
//   - Filled by: the first watch of the token.
//   - Emptied by: the end of the last watch of the token.
type tokenLimit struct {
	key     tokenKey
	watches int
	pause   time.Time // no read before: the API rejected one with 429
	err     error     // that rejection
}

// limitOfLocked returns the limit of a new watch.
func (e *Engine) limitOfLocked(key tokenKey) *tokenLimit {
	l := e.tokenLimits[key]
	if l == nil {
		l = &tokenLimit{key: key}
		e.tokenLimits[key] = l
	}
	l.watches++
	return l
}

// dropLimitLocked removes a watch from its limit, and the limit if it was the last one.
func (e *Engine) dropLimitLocked(l *tokenLimit) {
	if l.watches--; l.watches == 0 {
		delete(e.tokenLimits, l.key)
	}
}

// pauseAfterLocked pauses a watch after a failure for the time that the API names, or else lets it back off. A 429
// pauses the whole token. Only a 429 may name more than maxBackoff: a 503 may be of one instance or proxy.
func (w *watch) pauseAfterLocked(failed *upstream.Error, now time.Time) {
	pause := failed.RetryAfter
	if pause == 0 {
		w.backOffLocked(now)
	}
	if failed.Kind != upstream.KindRateLimited {
		pause = min(pause, maxBackoff)
	} else {
		if pause == 0 { // the API names no time
			pause = limitedFactor * w.engine.config.Interval
		}
		if until := now.Add(pause); until.After(w.limit.pause) {
			w.limit.pause, w.limit.err = until, failed
		}
	}
	if pause > 0 {
		w.pause = now.Add(pause + w.engine.spreadLocked())
	}
}

// pausedLocked returns the error because of which a watch must not read now; nil if it may. The pause of its token
// becomes its own, which is longer, so that the watches of the token do not all read at its end.
func (w *watch) pausedLocked(now time.Time) error {
	if l := w.limit; now.Before(l.pause) && w.pause.Before(l.pause) {
		w.pause = l.pause.Add(w.engine.spreadLocked())
		return l.err
	}
	if now.Before(w.pause) {
		return w.err
	}
	return nil
}

// spreadLocked returns a random time to add to the end of a pause of several watches. All records can be read in the
// longest one.
func (e *Engine) spreadLocked() time.Duration {
	all := time.Duration(len(e.records)) * time.Second / time.Duration(e.config.Polls)
	return e.random(max(2*e.config.Interval, all))
}
