package live

import "slices"

// fairQueue is the queue of the reads of one API. Callers take turns, and the reads in progress of one are at most three times the
// free goroutines, so that slow reads of a caller do not delay those of others. First reads, for which streams wait, come before
// all others.
type fairQueue struct {
	most     int     // reads in progress
	first    []*turn // of first reads, the next one first
	later    []*turn // of other reads
	byCaller map[turnKey]*turn
	length   int            // watches that wait
	reading  map[string]int // reads in progress, by caller
	all      int            // reads in progress
}

type turnKey struct {
	caller string
	first  bool
}

// turn is the watches of one caller that wait, for first or for other reads. It exists while there are any.
type turn []*watch

func newFairQueue(most int) *fairQueue {
	return &fairQueue{most: most, byCaller: map[turnKey]*turn{}, reading: map[string]int{}}
}

func (q *fairQueue) turns(first bool) *[]*turn {
	if first {
		return &q.first
	}
	return &q.later
}

// add implements queue.
func (q *fairQueue) add(w *watch) {
	key := turnKey{w.token.Caller, !w.wasRead()}
	own := q.byCaller[key]
	if own == nil {
		own = new(turn)
		q.byCaller[key] = own
		turns := q.turns(key.first)
		*turns = append(*turns, own)
	}
	*own = append(*own, w)
	q.length++
}

// remove removes a watch whose streams left, unless it was taken already.
func (q *fairQueue) remove(w *watch) {
	key := turnKey{w.token.Caller, !w.wasRead()}
	own := q.byCaller[key]
	if own == nil {
		return
	}
	at := slices.Index(*own, w)
	if at < 0 {
		return
	}
	q.length--
	if *own = slices.Delete(*own, at, at+1); len(*own) == 0 {
		delete(q.byCaller, key)
		turns := q.turns(key.first)
		*turns = slices.DeleteFunc(*turns, func(other *turn) bool { return other == own })
	}
}

// waiting implements queue.
func (q *fairQueue) waiting() int { return q.length }

// next implements queue.
func (q *fairQueue) next() (*watch, bool) {
	free := q.most - q.all
	for _, first := range []bool{true, false} {
		turns := q.turns(first)
		at := slices.IndexFunc(*turns, func(own *turn) bool { return q.reading[(*own)[0].token.Caller] < 3*free })
		if at < 0 {
			continue
		}
		own := (*turns)[at]
		copy((*turns)[1:], (*turns)[:at]) // usually none
		(*turns)[0] = nil
		*turns = (*turns)[1:]
		w := (*own)[0]
		(*own)[0] = nil
		if *own = (*own)[1:]; len(*own) > 0 {
			*turns = append(*turns, own)
		} else {
			delete(q.byCaller, turnKey{w.token.Caller, first})
		}
		q.length--
		q.all++
		q.reading[w.token.Caller]++
		return w, true
	}
	return nil, false
}

// done implements queue.
func (q *fairQueue) done(w *watch) {
	q.all--
	if q.reading[w.token.Caller]--; q.reading[w.token.Caller] == 0 {
		delete(q.reading, w.token.Caller)
	}
}
