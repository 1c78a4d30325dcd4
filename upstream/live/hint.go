package live

import "time"

// nudgeEvery bounds the reads of a record that hints from outside cause.
const nudgeEvery = 250 * time.Millisecond

// Nudge has a record read soon, of whatever kind, if a stream watches it. It is a hint: what the record says is read from the
// API with the tokens of the streams.
func (e *Engine) Nudge(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, route := range []string{routeTransaction, routeWithdrawal, routeNotification} {
		if r := e.records[watchKey{"", route, id}]; r != nil {
			r.nudge(e, time.Now())
		}
	}
}

// Seen has a record read soon if a stream watches it, and if it was changed after the last read. Queries call it with the
// records that they read.
func (e *Engine) Seen(subject Subject, updated time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r := e.records[watchKey{"", subject.Route, subject.Target}]; r != nil && updated.After(r.updated) {
		r.nudge(e, time.Now())
	}
}

// nudge moves the next read forward. If it sees a change, the other watches of the record read too.
func (r *record) nudge(e *Engine, now time.Time) {
	at := now
	if earliest := r.nudged.Add(nudgeEvery); at.Before(earliest) {
		at = earliest
	}
	if at.Before(r.next) {
		r.nudged = at
		r.hastenTo(e, at)
	}
}
