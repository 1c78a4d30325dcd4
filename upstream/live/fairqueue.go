package live

import "slices"

// fairQueue is a queue of reads. Callers take turns, and the reads in progress of one are at most three times the free
// goroutines, so that slow reads of a caller do not delay those of others. Urgent reads come before others, but not all
// of them: callers that begin thousands of streams must not stop the reads of other streams. The engine's lock protects
// it.
type fairQueue struct {
	limit    int                     // reads in progress
	reading  int                     // that are
	length   int                     // watches that wait
	urgent   int                     // urgent reads since the last other one
	turns    [2][]*callerReads       // of callers whose watches wait for urgent reads, and for others; the next caller first
	byCaller map[string]*callerReads // by what callers share: all whose token may be invented are one
}

// callerReads is the reads of one caller. It exists while there are any.
type callerReads struct {
	share   string
	waiting [2][]*watch // for urgent reads, and for others
	reading int
}

// maxUrgent is the number of urgent reads after which another one has its turn.
const maxUrgent = 3

func newFairQueue(limit int) *fairQueue {
	return &fairQueue{limit: limit, byCaller: map[string]*callerReads{}}
}

// readIndex returns the index of the next read of a watch among urgent ones and others.
func readIndex(w *watch) int {
	if w.urgent {
		return 0
	}
	return 1
}

// add implements queue.
func (q *fairQueue) add(w *watch) {
	w.share = w.token.share()
	own := q.byCaller[w.share]
	if own == nil {
		own = &callerReads{share: w.share}
		q.byCaller[w.share] = own
	}
	i := readIndex(w)
	if len(own.waiting[i]) == 0 {
		q.turns[i] = append(q.turns[i], own)
	}
	own.waiting[i] = append(own.waiting[i], w)
	q.length++
}

// remove removes a watch, and reports whether it waited.
func (q *fairQueue) remove(w *watch) bool {
	own := q.byCaller[w.share]
	if own == nil {
		return false
	}
	i := readIndex(w)
	at := slices.Index(own.waiting[i], w)
	if at < 0 {
		return false
	}
	q.length--
	if own.waiting[i] = slices.Delete(own.waiting[i], at, at+1); len(own.waiting[i]) == 0 {
		own.waiting[i] = nil
		q.turns[i] = slices.DeleteFunc(q.turns[i], func(other *callerReads) bool { return other == own })
		q.drop(own)
	}
	return true
}

// drop removes the entry of a caller without reads.
func (q *fairQueue) drop(own *callerReads) {
	if own.reading == 0 && len(own.waiting[0]) == 0 && len(own.waiting[1]) == 0 {
		delete(q.byCaller, own.share)
	}
}

// waiting implements queue.
func (q *fairQueue) waiting() int { return q.length }

// next implements queue.
func (q *fairQueue) next() (w *watch, done func(), ok bool) {
	free := q.limit - q.reading
	order := [...]int{0, 1}
	if q.urgent >= maxUrgent {
		order = [...]int{1, 0}
	}
	for _, i := range order {
		turns := q.turns[i]
		at := slices.IndexFunc(turns, func(own *callerReads) bool { return own.reading < 3*free })
		if at < 0 {
			continue
		}
		own := turns[at]
		copy(turns[1:], turns[:at]) // usually none
		turns[0] = nil
		q.turns[i] = turns[1:]
		waiting := own.waiting[i]
		w = waiting[0]
		waiting[0] = nil
		if own.waiting[i] = waiting[1:]; len(own.waiting[i]) > 0 {
			q.turns[i] = append(q.turns[i], own)
		} else {
			own.waiting[i] = nil
		}
		if q.urgent++; i > 0 {
			q.urgent = 0
		}
		q.length--
		q.reading++
		own.reading++
		return w, func() {
			q.reading--
			own.reading--
			q.drop(own)
		}, true
	}
	return nil, nil, false
}
