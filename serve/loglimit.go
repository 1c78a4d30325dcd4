package serve

import (
	"sync"
	"time"

	"pixgraph/internal/lru"
)

// lineLimit bounds the lines of a log that clients cause, without silencing one client for another.
//
//   - Key: what causes the lines: a caller, or the address of a client without a valid token (a /64 network for IPv6).
//   - Bound: maxKeys keys, below 200 bytes each; further keys share one entry. So a log gets at most perSecond lines
//     for each of maxKeys+1 entries in a second.
//   - Filled by: failed operations and ended streams of callers; requests without a valid token, of any client.
//   - Emptied by: a further key, which evicts one without lines in this second and the one before.
type lineLimit struct {
	perSecond int

	mu    sync.Mutex
	byKey *lru.Cache[string, *lineCount]
	rest  lineCount // of further keys
}

// lineCount is the lines of a key.
type lineCount struct {
	second  int64 // of its last line
	lines   int   // of that second
	omitted int   // since the last line that was logged
}

func newLineLimit(perSecond, maxKeys int) *lineLimit {
	l := &lineLimit{perSecond: perSecond}
	l.byKey = lru.NewCounted[string](maxKeys, func(count *lineCount) { l.rest.omitted += count.omitted })
	return l
}

// admit reports whether a line may be logged, and how many of the same key were omitted before it.
func (l *lineLimit) admit(key string) (omitted int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	second := time.Now().Unix()
	count, known := l.byKey.Get(key)
	switch {
	case known:
	case l.byKey.MakeRoom(func(other *lineCount) bool { return other.second < second-1 }):
		count = &lineCount{}
		l.byKey.Add("", key, count)
	default:
		count = &l.rest
	}
	if count.second != second {
		count.second, count.lines = second, 0
	}
	if count.lines++; count.lines > l.perSecond {
		count.omitted++
		return 0, false
	}
	omitted, count.omitted = count.omitted, 0
	return omitted, true
}

// omittedLines appends the number of omitted lines to the attributes of a line, if there are any.
func omittedLines(omitted int, attributes ...any) []any {
	if omitted == 0 {
		return attributes
	}
	return append(attributes, "omitted", omitted)
}
