// Package wire cuts JSON as it came over the wire: into values, members and elements, which stay bytes. It passes over a
// document once, notes where everything stands, and checks the whole grammar on the way (RFC 8259), so that whatever it
// hands out is valid JSON; that texts are valid Unicode is checked where one is read. It decodes nothing.
//
// Read first: Index in index.go, which passes over a document, then Value in value.go, which is what is found in it.
package wire

// maxDepth bounds the nesting, and so the stack, that a document can ask for.
const maxDepth = 10_000

// skip returns the position behind the JSON value that begins at the position, -1 when there is none. No space is allowed
// before it.
func (c *cutter) skip(i, depth int) int {
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

// skipObject passes over an object whose brace is before the position.
func (c *cutter) skipObject(i, depth int) int {
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

// skipArray passes over an array whose bracket is before the position.
func (c *cutter) skipArray(i, depth int) int {
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

// scalarEnd passes over a number or a literal.
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

// colon passes over what follows a name, and the space behind it. Without a colon, the position is -1.
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

// separator passes over what follows a member or an element: a comma and the space behind it, or the closing bracket.
// Without either, the position is -1.
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

// Space returns the position of the first byte from b[i] on that is no white space, len(b) when there is none.
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

// digitsEnd passes over one digit or more.
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
