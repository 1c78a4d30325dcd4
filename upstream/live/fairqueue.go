package live

import "slices"

// fairQueue is the queue of the reads of one API. Callers take turns, and the reads in progress of one are at most three times the
// free goroutines, so that slow reads of a caller do not delay those of others. First reads, for which streams wait, come before
// all others.
type fairQueue struct {
	limit    int            // reads in progress
	first    []*callerReads // of callers with first reads, the next one first
	later    []*callerReads // of callers with other reads
	byCaller map[string]*callerReads
	length   int // watches that wait
	reading  int // reads in progress
}

// callerReads is the reads of one caller. It exists while there are any.
type callerReads struct {
	first, later []*watch // that wait
	reading      int      // in progress
}

// waiting returns the watches that wait for first or for other reads.
func (r *callerReads) waiting(first bool) *[]*watch {
	if first {
		return &r.first
	}
	return &r.later
}

func newFairQueue(limit int) *fairQueue {
	return &fairQueue{limit: limit, byCaller: map[string]*callerReads{}}
}

// callers returns the callers whose watches wait for first or for other reads.
func (q *fairQueue) callers(first bool) *[]*callerReads {
	if first {
		return &q.first
	}
	return &q.later
}

// add implements queue.
func (q *fairQueue) add(w *watch) {
	own := q.byCaller[w.token.Caller]
	if own == nil {
		own = new(callerReads)
		q.byCaller[w.token.Caller] = own
	}
	first := !w.wasReadLocked()
	waiting := own.waiting(first)
	if len(*waiting) == 0 {
		callers := q.callers(first)
		*callers = append(*callers, own)
	}
	*waiting = append(*waiting, w)
	q.length++
}

// remove removes a watch whose streams left, unless it was taken already.
func (q *fairQueue) remove(w *watch) {
	own := q.byCaller[w.token.Caller]
	if own == nil {
		return
	}
	first := !w.wasReadLocked()
	waiting := own.waiting(first)
	at := slices.Index(*waiting, w)
	if at < 0 {
		return
	}
	q.length--
	if *waiting = slices.Delete(*waiting, at, at+1); len(*waiting) == 0 {
		*waiting = nil
		callers := q.callers(first)
		*callers = slices.DeleteFunc(*callers, func(other *callerReads) bool { return other == own })
		q.drop(own, w)
	}
}

// drop removes the reads of the caller of a watch if there are none.
func (q *fairQueue) drop(own *callerReads, w *watch) {
	if own.reading == 0 && len(own.first) == 0 && len(own.later) == 0 {
		delete(q.byCaller, w.token.Caller)
	}
}

// waiting implements queue.
func (q *fairQueue) waiting() int { return q.length }

// next implements queue.
func (q *fairQueue) next() (*watch, bool) {
	free := q.limit - q.reading
	for _, first := range []bool{true, false} {
		callers := q.callers(first)
		at := slices.IndexFunc(*callers, func(own *callerReads) bool { return own.reading < 3*free })
		if at < 0 {
			continue
		}
		own := (*callers)[at]
		copy((*callers)[1:], (*callers)[:at]) // usually none
		(*callers)[0] = nil
		*callers = (*callers)[1:]
		waiting := own.waiting(first)
		w := (*waiting)[0]
		(*waiting)[0] = nil
		if *waiting = (*waiting)[1:]; len(*waiting) > 0 {
			*callers = append(*callers, own)
		} else {
			*waiting = nil
		}
		q.length--
		q.reading++
		own.reading++
		return w, true
	}
	return nil, false
}

// done implements queue.
func (q *fairQueue) done(w *watch) {
	q.reading--
	own := q.byCaller[w.token.Caller]
	own.reading--
	q.drop(own, w)
}
