package wire

import "math/bits"

// stringEnd returns the position after a string whose opening quote is before the position, or -1 if it is invalid. A
// plain string is ASCII without escapes, and needs no further check.
func (c *indexer) stringEnd(i int) (end int, plain bool) {
	block, offset := i/blockSize, i%blockSize
	m := c.marks[block]
	stop, high := m.stop>>offset, m.high>>offset
	if stop == 0 {
		return c.longStringEnd(block+1, high)
	}
	n := bits.TrailingZeros64(stop)
	if i += n; i < len(c.bytes) && c.bytes[i] == '"' {
		return i + 1, high&(1<<n-1) == 0
	}
	return c.oddStringEnd(i), false
}

// longStringEnd is stringEnd for the rest of a string from the beginning of a block. high is not 0 if bytes above ASCII
// were found before.
func (c *indexer) longStringEnd(block int, high uint64) (end int, plain bool) {
	for ; block < len(c.marks); block++ {
		m := c.marks[block]
		if m.stop == 0 {
			high |= m.high
			continue
		}
		n := bits.TrailingZeros64(m.stop)
		if i := block*blockSize + n; i < len(c.bytes) && c.bytes[i] == '"' {
			return i + 1, high|m.high&(1<<n-1) == 0
		}
		return c.oddStringEnd(block*blockSize + n), false
	}
	return -1, false // not reached: the padding after the document has a stop
}

// oddStringEnd is stringEnd for the rest of a string from a stop that is not a quote.
func (c *indexer) oddStringEnd(i int) int {
	b := c.bytes
	for i < len(b) {
		switch {
		case b[i] == '"':
			return i + 1
		case b[i] < ' ':
			return -1
		case b[i] == '\\':
			if i = escapeEnd(b, i+1); i < 0 {
				return -1
			}
		}
		// Continue at the next stop. The escape may have ended in a later block.
		stop := uint64(0)
		for i < len(b) {
			if stop = c.marks[i/blockSize].stop >> (i % blockSize); stop != 0 {
				break
			}
			i = (i/blockSize + 1) * blockSize
		}
		i += bits.TrailingZeros64(stop | 1<<63)
	}
	return -1
}

// escapeEnd returns the position after an escape whose backslash is before the position, or -1 if it is invalid.
func escapeEnd(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1
	case 'u':
		if i+5 > len(b) {
			return -1
		}
		for _, c := range b[i+1 : i+5] {
			if c-'0' > 9 && (c|0x20)-'a' > 5 {
				return -1
			}
		}
		return i + 5
	default:
		return -1
	}
}
