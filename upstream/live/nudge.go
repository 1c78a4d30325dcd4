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

// Nudges reports whether a nudge can have an effect, here or at other replicas.
func (e *Engine) Nudges() bool { return e.Streams() > 0 || e.config.Hint != nil }

// Nudge has a record read soon, of whatever kind, if a stream of this replica or another one watches it. It is a hint:
// what the record says is read from the API with the tokens of the streams.
func (e *Engine) Nudge(id string) {
	if e.config.Hint != nil {
		e.config.Hint(HintOf(id))
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.nudgeHintedLocked(id, time.Now())
}

// nudgeHintedLocked nudges the records with an id of which the other replicas know.
func (e *Engine) nudgeHintedLocked(id string, at time.Time) {
	for _, of := range upstream.Lookups() {
		if r := e.records[watchKey{"", of.Noun, id}]; r != nil && e.nudgeLocked(r, at) {
			r.hinted = true
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

// nudgeLocked moves the next read of a record forward to a time, and reports whether it did. If the read sees a change,
// the other watches of the record read too.
func (e *Engine) nudgeLocked(r *record, at time.Time) bool {
	now := time.Now()
	if earliest := r.nudged.Add(nudgeEvery); at.Before(earliest) {
		at = earliest
	}
	if !at.Before(r.nextPoll) {
		return false
	}
	if now.Sub(e.nudgesSince) >= time.Second {
		e.nudgesSince, e.nudges = now, 0
	}
	if e.nudges++; e.nudges > maxNudges {
		return false
	}
	r.nudged = at
	r.retryNowLocked()
	r.readByLocked(at)
	return true
}
