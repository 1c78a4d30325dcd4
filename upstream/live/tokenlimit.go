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
//   - Bound: one for each watch at most, 300 bytes with the map entries. It is part of the 1 KiB of a stream.
//   - Filled by: the first watch of the token.
//   - Emptied by: the end of the last watch of the token.
type tokenLimit struct {
	key     tokenKey
	watches map[*watch]struct{}
	limited time.Time // when the API last rejected a read with 429
	pause   time.Time // no read before
	err     error     // that rejection
}

// addToLimit adds a new watch to the limit of its token.
func (st *state) addToLimit(w *watch, key tokenKey) {
	l := st.limits[key]
	if l == nil {
		l = &tokenLimit{key: key, watches: map[*watch]struct{}{}}
		st.limits[key] = l
	}
	w.limit, l.watches[w] = l, struct{}{}
}

// dropLimit removes a watch from its limit, and the limit if it was the last one.
func (st *state) dropLimit(w *watch) {
	l := w.limit
	if delete(l.watches, w); len(l.watches) == 0 {
		delete(st.limits, l.key)
	}
}

// since returns the age of the engine in nanoseconds, whatever the clock of the machine is set to.
func (st *state) since(now time.Time) int64 { return int64(now.Sub(st.timers.start)) }

// resume ends the pause of a token early. Its watches are read soon, and not all at once. If the API limits reads
// and not queries, it gets as few reads as if it named no time.
func (st *state) resume(l *tokenLimit, now time.Time) {
	if !now.Before(l.pause) || now.Sub(l.limited) < limitedFactor*st.interval {
		return
	}
	l.pause, l.err = time.Time{}, nil
	for w := range l.watches {
		if early := now.Add(st.spread()); early.Before(w.pause) {
			w.pause = early
			w.record.retryBy(early)
		}
	}
}

// pauseAfter pauses a watch after a failure for the time that the API names, at most maxBackoff, or else lets it
// back off: whatever the API or a proxy said, the next look is soon. A 429 pauses the whole token.
func (w *watch) pauseAfter(failed *upstream.Error, now time.Time) {
	pause := min(failed.RetryAfter, maxBackoff)
	if pause == 0 {
		w.backOff(now)
	}
	if failed.Kind == upstream.KindRateLimited {
		w.limit.limited = now
		if pause == 0 { // the API names no time
			pause = limitedFactor * w.state.interval
		}
		if until := now.Add(pause); until.After(w.limit.pause) {
			w.limit.pause, w.limit.err = until, failed
			w.state.limitedUntil.Store(max(w.state.limitedUntil.Load(), w.state.since(until)))
		}
	}
	if pause > 0 {
		w.pause = now.Add(pause + w.state.spread())
	}
}

// paused returns the error because of which a watch must not read now; nil if it may. The pause of its token
// becomes its own, which is longer, so that the watches of the token do not all read at its end.
func (w *watch) paused(now time.Time) error {
	if l := w.limit; now.Before(l.pause) && w.pause.Before(l.pause) {
		w.pause = l.pause.Add(w.state.spread())
		return l.err
	}
	if now.Before(w.pause) {
		return w.err
	}
	return nil
}

// spread returns a random time to add to the end of a pause of several watches. All records can be read in the
// longest one.
func (st *state) spread() time.Duration {
	all := time.Duration(len(st.records.byKey)) * time.Second / time.Duration(st.config.Polls)
	return st.random.UpTo(max(2*st.interval, all))
}
