package live

import (
	"slices"
	"sync"
	"time"
)

// record is one subject, as seen by all tokens.
type record struct {
	schedule
	key watchKey // without a token, except for lists, and for a watch that has not been read yet
}

// records is the records by key. Queries look for one without the lock of the engine, which is held for longer.
type records struct {
	sync.RWMutex // locked by queries, and to change byKey
	byKey        map[watchKey]*record
}

// addWatch adds a watch to a record, which is new if it is the first one.
func (st *state) addWatch(w *watch, key watchKey, now time.Time) {
	r := st.records.byKey[key]
	if r == nil {
		r = &record{schedule{plan: &st.plan, active: now}, key}
		r.timer.fire = r.fire
		st.records.Lock()
		st.records.byKey[key] = r
		st.records.Unlock()
		st.indexHint(key, true)
	}
	w.record = r
	r.watches = append(r.watches, w)
}

// share moves a watch that was read to the record of all tokens. Until then it learns nothing of their watches, not
// even from the times of reads, and has no influence on them.
func (st *state) share(w *watch, now time.Time) {
	if w.subject.isList() {
		return
	}
	active := w.record.active
	st.removeWatch(w)
	st.addWatch(w, watchKey{"", w.key.route, w.key.target}, now)
	if active.After(w.record.active) {
		w.record.active = active
	}
}

// removeWatch removes a watch from its record, and the record if it was the last one.
func (st *state) removeWatch(w *watch) {
	r := w.record
	r.watches = slices.DeleteFunc(r.watches, func(other *watch) bool { return other == w })
	if len(r.watches) == 0 {
		r.stop()
		st.records.Lock()
		delete(st.records.byKey, r.key)
		st.records.Unlock()
		st.indexHint(r.key, false)
	}
}
