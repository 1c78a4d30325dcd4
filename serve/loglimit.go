package serve

import (
	"sync"
	"time"
)

// lineLimit bounds the lines of a log that clients cause, without silencing one client for another.
//
//   - Key: what causes the lines: a caller, or the address of a client without a valid token (a /64 network for IPv6).
//   - Bound: maxKeys keys, below 200 bytes each; further keys share one entry. So a log gets at most perSecond lines
//     for each of maxKeys+1 entries in a second.
//   - Filled by: failed operations and ended streams of callers; requests without a valid token, of any client.
//   - Emptied by: the first line of a later second, except for keys that had lines in the second before.
type lineLimit struct {
	perSecond, maxKeys int

	mu     sync.Mutex
	second int64 // of the counts
	byKey  map[string]*lineCount
	rest   lineCount // of further keys
}

// lineCount is the lines of a key.
type lineCount struct {
	lines   int // of the current second
	omitted int // since the last line that was logged
}

func newLineLimit(perSecond, maxKeys int) *lineLimit {
	return &lineLimit{perSecond: perSecond, maxKeys: maxKeys, byKey: map[string]*lineCount{}}
}

// admit reports whether a line may be logged, and how many of the same key were omitted before it.
func (l *lineLimit) admit(key string) (omitted int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if second := time.Now().Unix(); second != l.second {
		l.begin(second)
	}
	count := l.byKey[key]
	switch {
	case count != nil:
	case len(l.byKey) < l.maxKeys:
		count = &lineCount{}
		l.byKey[key] = count
	default:
		count = &l.rest
	}
	if count.lines++; count.lines > l.perSecond {
		count.omitted++
		return 0, false
	}
	omitted, count.omitted = count.omitted, 0
	return omitted, true
}

// begin begins a second. A key without lines in the last one leaves what was omitted to the shared entry.
func (l *lineLimit) begin(second int64) {
	for key, count := range l.byKey {
		if count.lines == 0 {
			l.rest.omitted += count.omitted
			delete(l.byKey, key)
		}
		count.lines = 0
	}
	l.second, l.rest.lines = second, 0
}

// omittedLines appends the number of omitted lines to the attributes of a line, if there are any.
func omittedLines(omitted int, attributes ...any) []any {
	if omitted == 0 {
		return attributes
	}
	return append(attributes, "omitted", omitted)
}
