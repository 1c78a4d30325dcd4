package fleet

import (
	"bytes"
	"errors"
	"net"
	"strconv"
	"strings"
)

const (
	// maxReply bounds a reply in bytes. The largest are documents, and the slots of a cluster: it is enough for 5,000
	// ranges with two replicas each.
	maxReply = 8 << 20
	// elementSize is what an element of an array counts in addition, for the memory that redigo takes for it.
	elementSize = 64
)

var errLarge = errors.New("a reply is too large")

// limited is a connection that fails before a reply which is too large: redigo takes the memory that a header asks for,
// and calls itself for an array in an array.
type limited struct {
	net.Conn
	header []byte // the part of a line that was read
	skip   int    // bytes of a string that follow
	more   int    // elements of the reply that follow
	size   int    // of the reply
}

// sizeOf is the memory of a reply, in bytes.
func sizeOf(reply any) (size int) {
	switch reply := reply.(type) {
	case []byte:
		size = len(reply)
	case string:
		size = len(reply)
	case []any:
		for _, element := range reply {
			size += elementSize + sizeOf(element)
		}
	}
	return size
}

// Read implements net.Conn.
func (l *limited) Read(p []byte) (int, error) {
	n, err := l.Conn.Read(p)
	if !l.within(p[:n]) {
		return 0, errLarge
	}
	return n, err
}

// within follows the replies, valid or not, and reports whether they are within the limit.
func (l *limited) within(p []byte) bool {
	for len(p) > 0 {
		if n := min(l.skip, len(p)); n > 0 {
			p, l.skip = p[n:], l.skip-n
			continue
		}
		line, rest, ended := bytes.Cut(p, []byte("\n"))
		p, l.header, l.size = rest, append(l.header, line...), l.size+len(line)+1
		if ended {
			l.element(strings.TrimSuffix(string(l.header), "\r"))
			l.header = l.header[:0]
		}
		if l.size > maxReply {
			return false
		}
		if ended && l.more == 0 {
			l.size = 0
		}
	}
	return true
}

// element follows an element of which the header was read.
func (l *limited) element(header string) {
	l.more = max(l.more, 1) - 1
	if !strings.HasPrefix(header, "$") && !strings.HasPrefix(header, "*") {
		return
	}
	n, err := strconv.Atoi(header[1:])
	if n = min(n, maxReply+1); err != nil {
		n = maxReply + 1
	}
	switch {
	case n < 0: // no value
	case header[0] == '$':
		l.skip, l.size = n+len("\r\n"), l.size+n
	default:
		l.more, l.size = l.more+n, l.size+n*elementSize
	}
}
