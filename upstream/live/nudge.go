package live

import (
	"time"

	"pixgraph/upstream"
)

// nudgeEvery bounds the reads of a record that nudges cause, and maxNudges those of all records in a second.
const (
	nudgeEvery = 250 * time.Millisecond
	maxNudges  = 1000
)

// Nudge has a record read soon, of whatever kind, if a stream watches it. It is a hint: what the record says is read
// from the API with the tokens of the streams.
func (e *Engine) Nudge(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, route := range []string{routeTransaction, routeWithdrawal, routeNotification} {
		if r := e.records[watchKey{"", route, id}]; r != nil {
			e.nudgeLocked(r, time.Now())
		}
	}
}

// SeenRecord has a record that a query read be read soon if a stream watches it, and if it was changed after the last
// read. noun is its kind, such as "transaction". It costs almost nothing unless a stream watches the record.
func SeenRecord[T upstream.Resource](e *Engine, noun, id string, record *T) {
	if e == nil || e.Streams() == 0 {
		return
	}
	key := watchKey{"", noun, id}
	e.recordsMu.RLock()
	_, watched := e.records[key]
	e.recordsMu.RUnlock()
	if !watched {
		return
	}
	text, _ := upstream.RawOf(record).Text("updatedAt", false)
	updated := timeOf(text)
	e.mu.Lock()
	defer e.mu.Unlock()
	if r := e.records[key]; r != nil && updated.After(r.updated) {
		e.nudgeLocked(r, time.Now())
	}
}

// nudgeLocked moves the next read of a record forward. If it sees a change, the other watches of the record read too.
func (e *Engine) nudgeLocked(r *record, now time.Time) {
	at := now
	if earliest := r.nudged.Add(nudgeEvery); at.Before(earliest) {
		at = earliest
	}
	if !at.Before(r.nextPoll) {
		return
	}
	if now.Sub(e.nudgesSince) >= time.Second {
		e.nudgesSince, e.nudges = now, 0
	}
	if e.nudges++; e.nudges > maxNudges {
		return
	}
	r.nudged = at
	r.retryNowLocked()
	r.readByLocked(at)
}
