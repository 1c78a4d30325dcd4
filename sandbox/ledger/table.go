package ledger

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// table has the records of one kind. newestFirst is immutable and replaced as a whole, so that readers can keep it.
type table struct {
	newestFirst []*Entry
	byID        map[string]*Entry // by lower-case id
}

func newTable(entries []*Entry) table {
	t := table{newestFirst: slices.SortedFunc(slices.Values(entries), newer), byID: make(map[string]*Entry, len(entries))}
	for _, e := range entries {
		t.byID[strings.ToLower(e.ID)] = e
	}
	return t
}

// put adds or replaces records, with one copy of the list.
func (t *table) put(entries ...*Entry) {
	list := slices.Clone(t.newestFirst)
	for _, e := range entries {
		id := strings.ToLower(e.ID)
		old, replaces := t.byID[id]
		switch {
		case !e.CreatedAt.IsZero():
		case replaces:
			e.CreatedAt = old.CreatedAt
		case len(list) > 0:
			e.CreatedAt = list[0].CreatedAt.Add(time.Millisecond)
		}
		if replaces {
			i := slices.Index(list, old)
			list = slices.Delete(list, i, i+1)
		}
		i, _ := slices.BinarySearchFunc(list, e, newer)
		list = slices.Insert(list, i, e)
		t.byID[id] = e
	}
	t.newestFirst = list
}

// newer orders records newest first, and by id if the times are equal.
func newer(a, b *Entry) int {
	return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID, b.ID))
}
