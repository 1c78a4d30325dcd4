package live

import (
	"crypto/sha256"
	"time"

	"pixgraph/upstream"
)

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
	e.mu.Lock()
	defer e.mu.Unlock()
	now := time.Now()
	for _, hint := range hints {
		if id, watched := e.hints[hint]; watched {
			e.nudgeHintedLocked(id, now.Add(e.config.Random.UpTo(hintWithin)))
		}
	}
}

// hintLocked hints at a record whose change a read has shown.
func (r *record) hintLocked() {
	if hint := r.engine.config.Hint; hint != nil && r.key.token == "" {
		hint(HintOf(r.key.target))
	}
}

// indexHintLocked adds the hint at a record of all tokens to those that are known, or removes it with the last record
// of its id.
func (e *Engine) indexHintLocked(key watchKey, watched bool) {
	if e.config.Hint == nil || key.token != "" {
		return
	}
	for _, of := range upstream.Lookups() {
		watched = watched || e.records[watchKey{"", of.Noun, key.target}] != nil
	}
	if hint := HintOf(key.target); watched {
		e.hints[hint] = key.target
	} else {
		delete(e.hints, hint)
	}
}
