// Package wire cuts JSON as it came over the wire: into members, elements and values, which stay bytes. It checks the
// whole grammar of what it passes over (RFC 8259), so that whatever it hands out is valid JSON; that texts are valid
// Unicode is checked where one is read. It decodes nothing.
//
// Read first: Index, which cuts an object, and End, which passes over one value.
package wire

import (
	"encoding/binary"
	"math/bits"
)

// maxDepth bounds the nesting, and so the stack, that a body can ask for.
const maxDepth = 10_000

// End returns the position behind the JSON value that begins at b[i], -1 when there is none. No space is allowed before it.
func End(b []byte, i int) int { return value(b, i, 0) }

func value(b []byte, i, depth int) int {
	if i >= len(b) {
		return -1
	}
	switch c := b[i]; {
	case c == '"':
		return stringEnd(b, i+1)
	case c == '{':
		return objectEnd(b, i+1, depth+1)
	case c == '[':
		return arrayEnd(b, i+1, depth+1)
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

func objectEnd(b []byte, i, depth int) int {
	if depth > maxDepth {
		return -1
	}
	i = Space(b, i)
	if i < len(b) && b[i] == '}' {
		return i + 1
	}
	for {
		if i >= len(b) || b[i] != '"' {
			return -1
		}
		if i = stringEnd(b, i+1); i < 0 {
			return -1
		}
		if i = Space(b, i); i >= len(b) || b[i] != ':' {
			return -1
		}
		if i = value(b, Space(b, i+1), depth); i < 0 {
			return -1
		}
		if i = Space(b, i); i >= len(b) {
			return -1
		}
		switch b[i] {
		case ',':
			i = Space(b, i+1)
		case '}':
			return i + 1
		default:
			return -1
		}
	}
}

func arrayEnd(b []byte, i, depth int) int {
	if depth > maxDepth {
		return -1
	}
	i = Space(b, i)
	if i < len(b) && b[i] == ']' {
		return i + 1
	}
	for {
		if i = value(b, i, depth); i < 0 {
			return -1
		}
		if i = Space(b, i); i >= len(b) {
			return -1
		}
		switch b[i] {
		case ',':
			i = Space(b, i+1)
		case ']':
			return i + 1
		default:
			return -1
		}
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

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// stringEnd passes over a string whose opening quote is before b[i], eight bytes at a time.
func stringEnd(b []byte, i int) int {
	for {
		for i+8 <= len(b) {
			w := binary.LittleEndian.Uint64(b[i:])
			quote, escape := w^(ones*'"'), w^(ones*'\\')
			stop := ((quote-ones)&^quote | (escape-ones)&^escape | (w-ones*' ')&^w) & highs
			if stop != 0 {
				i += bits.TrailingZeros64(stop) / 8
				break
			}
			i += 8
		}
		for i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= ' ' {
			i++
		}
		switch {
		case i >= len(b) || b[i] < ' ':
			return -1
		case b[i] == '"':
			return i + 1
		}
		if i = escapeEnd(b, i+1); i < 0 {
			return -1
		}
	}
}

// escapeEnd passes over what follows a backslash.
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
