package live

import "slices"

// lane is the queue of the reads of one API, so that an API that hangs does not delay reads of the other. Callers take turns, and
// the reads in progress of one are at most three times the free goroutines, so that slow reads of a caller do not delay those of
// others. First reads, for which streams wait, come before all others.
type lane struct {
	most    int     // reads in progress
	first   []*line // the turns of the callers with first reads
	later   []*line // the turns of the callers with other reads
	lines   map[lineKey]*line
	length  int            // watches that wait
	reading map[string]int // reads in progress, by caller
	all     int            // reads in progress
}

// lineKey identifies a line.
type lineKey struct {
	caller string
	first  bool
}

// line is the watches of one caller that wait. It exists while there are any.
type line []*watch

func newLane(most int) *lane {
	return &lane{most: most, lines: map[lineKey]*line{}, reading: map[string]int{}}
}

// turns returns the turns of first or of other reads.
func (l *lane) turns(first bool) *[]*line {
	if first {
		return &l.first
	}
	return &l.later
}

// add implements queue.
func (l *lane) add(w *watch) {
	key := lineKey{w.token.Caller, !w.wasRead()}
	own := l.lines[key]
	if own == nil {
		own = new(line)
		l.lines[key] = own
		turns := l.turns(key.first)
		*turns = append(*turns, own)
	}
	*own = append(*own, w)
	l.length++
}

// waiting implements queue.
func (l *lane) waiting() int { return l.length }

// next implements queue.
func (l *lane) next() (*watch, bool) {
	free := l.most - l.all
	for _, first := range []bool{true, false} {
		turns := l.turns(first)
		at := slices.IndexFunc(*turns, func(own *line) bool { return l.reading[(*own)[0].token.Caller] < 3*free })
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
			delete(l.lines, lineKey{w.token.Caller, first})
		}
		l.length--
		l.all++
		l.reading[w.token.Caller]++
		return w, true
	}
	return nil, false
}

// done implements queue.
func (l *lane) done(w *watch) {
	l.all--
	if l.reading[w.token.Caller]--; l.reading[w.token.Caller] == 0 {
		delete(l.reading, w.token.Caller)
	}
}
