// Package wire indexes JSON as it was received: it splits a document into values, members and elements, which stay
// bytes. It scans a document once, records the position of each value, and checks the complete grammar (RFC 8259), so
// that every value is valid JSON. It decodes nothing. Package upstream checks that a string is valid Unicode when it
// reads the string.
//
// Read first: Index in index.go, which scans a document, then Value in value.go, which is its result.
package wire

// maxDepth bounds the nesting of a document, and so the stack of the recursion.
const maxDepth = 10_000

// skip returns the position after the JSON value that begins at the position, or -1 if it is invalid. There must be no
// space before the value.
func (c *indexer) skip(i, depth int) int {
	if i >= len(c.bytes) {
		return -1
	}
	switch c.bytes[i] {
	case '"':
		end, _ := c.stringEnd(i + 1)
		return end
	case '{':
		return c.skipObject(i+1, depth+1)
	case '[':
		return c.skipArray(i+1, depth+1)
	default:
		return scalarEnd(c.bytes, i)
	}
}

// skipObject returns the position after an object whose opening brace is before the position, or -1 if it is invalid.
func (c *indexer) skipObject(i, depth int) int {
	if depth > maxDepth {
		return -1
	}
	b := c.bytes
	i = Space(b, i)
	if i < len(b) && b[i] == '}' {
		return i + 1
	}
	for {
		if i >= len(b) || b[i] != '"' {
			return -1
		}
		if i, _ = c.stringEnd(i + 1); i < 0 {
			return -1
		}
		if i = colon(b, i); i < 0 {
			return -1
		}
		if i = c.skip(i, depth); i < 0 {
			return -1
		}
		var more bool
		if i, more = separator(b, i, '}'); !more {
			return i
		}
	}
}

// skipArray returns the position after an array whose opening bracket is before the position, or -1 if it is invalid.
func (c *indexer) skipArray(i, depth int) int {
	if depth > maxDepth {
		return -1
	}
	i = Space(c.bytes, i)
	if i < len(c.bytes) && c.bytes[i] == ']' {
		return i + 1
	}
	for {
		if i = c.skip(i, depth); i < 0 {
			return -1
		}
		var more bool
		if i, more = separator(c.bytes, i, ']'); !more {
			return i
		}
	}
}

// scalarEnd returns the position after a number or a literal, or -1 if it is invalid.
func scalarEnd(b []byte, i int) int {
	switch c := b[i]; {
	case c == '-' || c-'0' <= 9:
		return numberEnd(b, i)
	case c == 't':
		return literalEnd(b, i, "true")
	case c == 'f':
		return literalEnd(b, i, "false")
	case c == 'n':
		return literalEnd(b, i, "null")
	default:
		return -1
	}
}

// colon returns the position after the colon that follows a name, and after the space around it, or -1 without a colon.
func colon(b []byte, i int) int {
	if i >= len(b) || b[i] != ':' {
		if i = Space(b, i); i >= len(b) || b[i] != ':' {
			return -1
		}
	}
	if i++; i < len(b) && b[i] <= ' ' {
		i = Space(b, i)
	}
	return i
}

// separator returns the position after what follows a member or an element: a comma and the space after it (more is
// true), or the closing bracket. Without either, the position is -1.
func separator(b []byte, i int, closing byte) (end int, more bool) {
	if i >= len(b) || b[i] <= ' ' {
		i = Space(b, i)
	}
	switch {
	case i >= len(b):
		return -1, false
	case b[i] == ',':
		if i++; i < len(b) && b[i] <= ' ' {
			i = Space(b, i)
		}
		return i, true
	case b[i] == closing:
		return i + 1, false
	default:
		return -1, false
	}
}

// Space returns the position of the first byte from b[i] on that is not white space, or len(b).
func Space(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' {
		switch b[i] {
		case ' ', '\n', '\r', '\t':
			i++
		default:
			return i
		}
	}
	return i
}

func numberEnd(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	switch {
	case i >= len(b):
		return -1
	case b[i] == '0':
		i++
	default:
		if i = digitsEnd(b, i); i < 0 {
			return -1
		}
	}
	if i < len(b) && b[i] == '.' {
		if i = digitsEnd(b, i+1); i < 0 {
			return -1
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		i = digitsEnd(b, i)
	}
	return i
}

// digitsEnd returns the position after one or more digits, or -1 without a digit.
func digitsEnd(b []byte, i int) int {
	start := i
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

func literalEnd(b []byte, i int, literal string) int {
	if i+len(literal) > len(b) || string(b[i:i+len(literal)]) != literal {
		return -1
	}
	return i + len(literal)
}
