package quota

import "slices"

// Lines are elements that wait, in a line for each caller. The lines take turns, whatever their lengths are. The zero
// value is empty. It has no lock: its user protects it, and bounds it.
type Lines[E comparable] struct {
	turns    []*line[E] // the lines with elements, the next one first
	byCaller map[string]*line[E]
	length   int
}

// line is the elements of one caller, the oldest first.
type line[E comparable] struct {
	caller   string
	elements []E
}

// Len returns the number of elements.
func (l *Lines[E]) Len() int { return l.length }

// Add adds an element to the line of a caller.
func (l *Lines[E]) Add(caller string, element E) {
	own := l.byCaller[caller]
	if own == nil {
		if l.byCaller == nil {
			l.byCaller = map[string]*line[E]{}
		}
		own = &line[E]{caller: caller}
		l.byCaller[caller], l.turns = own, append(l.turns, own)
	}
	own.elements = append(own.elements, element)
	l.length++
}

// Remove removes an element of a caller, and reports whether it waited.
func (l *Lines[E]) Remove(caller string, element E) bool {
	own := l.byCaller[caller]
	if own == nil {
		return false
	}
	at := slices.Index(own.elements, element)
	if at >= 0 && l.cut(own, at) == 0 {
		l.turns = without(l.turns, slices.Index(l.turns, own))
	}
	return at >= 0
}

// Next removes the next element that is admitted. admit gets the oldest element of each line in turn, until it admits
// one or stops. A caller that is not admitted keeps its turn.
func (l *Lines[E]) Next(admit func(caller string, element E) (admitted, stop bool)) (next E, ok bool) {
	for at, own := range l.turns {
		element := own.elements[0]
		admitted, stop := admit(own.caller, element)
		if admitted {
			if l.turns = without(l.turns, at); l.cut(own, 0) > 0 {
				l.turns = append(l.turns, own)
			}
			return element, true
		}
		if stop {
			break
		}
	}
	return next, false
}

// others reports whether elements of other callers wait.
func (l *Lines[E]) others(caller string) bool {
	return len(l.byCaller) > 1 || len(l.byCaller) == 1 && l.byCaller[caller] == nil
}

// displace removes the last element of the longest line, in favour of a caller whose line remains shorter.
func (l *Lines[E]) displace(caller string) (displaced E, ok bool) {
	longest, own := &line[E]{}, 0
	for _, other := range l.turns {
		if len(other.elements) > len(longest.elements) {
			longest = other
		}
		if other.caller == caller {
			own = len(other.elements)
		}
	}
	last := len(longest.elements) - 1
	if last <= own {
		return displaced, false
	}
	displaced = longest.elements[last]
	l.cut(longest, last)
	return displaced, true
}

// cut removes an element of a line, and returns how many are left. The user removes a line without elements.
func (l *Lines[E]) cut(own *line[E], at int) (left int) {
	l.length--
	own.elements = without(own.elements, at)
	if len(own.elements) == 0 {
		delete(l.byCaller, own.caller)
	}
	return len(own.elements)
}

// without removes an element of a slice. That of the first one moves no others.
func without[E any](all []E, at int) []E {
	copy(all[1:at+1], all[:at])
	clear(all[:1])
	return all[1:]
}
