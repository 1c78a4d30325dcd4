package live

import (
	"crypto/sha256"
	"time"

	"pixgraph/upstream"
)

// Nudges reports whether a nudge can have an effect, here or at other replicas.
func (e *Engine) Nudges() bool { return e.Streams() > 0 || e.config.Hint != nil }

// Nudge has a record read soon, of whatever kind, if a stream of this replica or another one watches it. It is a hint:
// what the record says is read from the API with the tokens of the streams.
func (e *Engine) Nudge(id string) {
	if e.config.Hint != nil {
		e.config.Hint(HintOf(id))
	}
	e.do(func(now time.Time) { e.nudgeHinted(id, now, now) })
}

// SeenRecord has a record that a query read be read soon if a stream watches it, and if it was changed after the last
// read. noun is its kind, such as "transaction". It costs almost nothing unless a stream watches the record.
func SeenRecord[T upstream.Resource](e *Engine, noun, id string, record *T) {
	if e == nil || e.Streams() == 0 {
		return
	}
	key := watchKey{"", noun, id}
	e.records.RLock()
	_, watched := e.records.byKey[key]
	e.records.RUnlock()
	if !watched {
		return
	}
	text, _ := upstream.RawOf(record).Text("updatedAt", false)
	updated := timeOf(text)
	e.do(func(now time.Time) {
		if r := e.records.byKey[key]; r != nil && updated.After(r.updated) {
			r.nudge(now, now)
		}
	})
}

// Hint names records for other replicas: it says that those with an id may have changed, and nothing else.
type Hint = [16]byte

// HintOf returns the hint at the records with an id.
func HintOf(id string) Hint {
	sum := sha256.Sum256([]byte(id))
	return Hint(sum[:len(Hint{})])
}

// hintWithin is the time in which records are read after a hint, each at random: it reaches all replicas at once.
const hintWithin = 50 * time.Millisecond

// Hinted has the records that other replicas hint at be read soon.
func (e *Engine) Hinted(hints []Hint) {
	if e.Streams() == 0 {
		return
	}
	e.do(func(now time.Time) {
		for _, hint := range hints {
			if id, watched := e.hints[hint]; watched {
				e.nudgeHinted(id, now.Add(e.random.UpTo(hintWithin)), now)
			}
		}
	})
}

// nudgeHinted nudges the records with an id of which the other replicas know.
func (st *state) nudgeHinted(id string, at, now time.Time) {
	for _, of := range upstream.Lookups() {
		if r := st.records.byKey[watchKey{"", of.Noun, id}]; r != nil && r.nudge(at, now) {
			r.hinted = true
		}
	}
}

// indexHint adds the hint at a record of all tokens to those that are known, or removes it with the last record of its
// id.
func (st *state) indexHint(key watchKey, watched bool) {
	if st.config.Hint == nil || key.token != "" {
		return
	}
	for _, of := range upstream.Lookups() {
		watched = watched || st.records.byKey[watchKey{"", of.Noun, key.target}] != nil
	}
	if hint := HintOf(key.target); watched {
		st.hints[hint] = key.target
	} else {
		delete(st.hints, hint)
	}
}
