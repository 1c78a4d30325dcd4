package wire

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// Eight bytes are looked at as one number: every byte of ones is 1, every byte of highs has its highest bit.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// stops has the highest bit of each byte at which a string cannot be passed over blindly: its closing quote, a backslash,
// a control character. Only the lowest of the bits is right for sure: a borrow runs upwards.
func stops(w uint64) uint64 {
	quote, escape := w^(ones*'"'), w^(ones*'\\')
	return ((quote-ones)&^quote | (escape-ones)&^escape | (w-ones*' ')&^w) & highs
}

// stringEnd passes over a string whose opening quote is before b[i]; the position is -1 when it does not end. A plain one
// is ASCII without escapes, so that nothing about it is left to check.
func stringEnd(b []byte, i int) (end int, plain bool) {
	var seen uint64 // all bytes that were passed over, on top of each other
	long := i + usualString
	for i+8 <= len(b) {
		w := binary.LittleEndian.Uint64(b[i:])
		if stop := stops(w); stop != 0 {
			at := bits.TrailingZeros64(stop) &^ 7
			if i += at / 8; b[i] == '"' {
				return i + 1, (seen|w&(1<<at-1))&highs == 0
			}
			break
		}
		seen |= w
		if i += 8; i >= long {
			i, long = run(b, i), len(b)
		}
	}
	return oddStringEnd(b, i, seen&highs == 0)
}

// usualString is the length, in bytes, from which a string is expected to be a long one, such as a picture.
const usualString = 64

// run passes over what is plain of a long string, 32 bytes at a time and no further than its first quote.
func run(b []byte, i int) int {
	quote := bytes.IndexByte(b[i:], '"')
	if quote < 0 {
		return i
	}
	end := i + quote
	for ; i+32 <= end; i += 32 {
		p := b[i : i+32]
		w0, w1 := binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(p[8:])
		w2, w3 := binary.LittleEndian.Uint64(p[16:]), binary.LittleEndian.Uint64(p[24:])
		if (odd(w0)|odd(w1)|odd(w2)|odd(w3))&highs != 0 {
			break
		}
	}
	return i
}

// odd has a highest bit where none of the bytes is a quote and one is not plain: above ASCII, a control character, a
// backslash.
func odd(w uint64) uint64 {
	escape := w ^ (ones * '\\')
	return w | (w - ones*' ') | (escape-ones)&^escape
}

// oddStringEnd passes over what is left of a string: one that has escapes, or is at the end of the document.
func oddStringEnd(b []byte, i int, plain bool) (int, bool) {
	for i < len(b) {
		if i+8 <= len(b) && !plain { // it will not become plain again: only its end matters
			stop := stops(binary.LittleEndian.Uint64(b[i:]))
			if stop == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(stop) / 8
		}
		switch c := b[i]; {
		case c == '"':
			return i + 1, plain
		case c < ' ':
			return -1, false
		case c == '\\':
			if i = escapeEnd(b, i+1); i < 0 {
				return -1, false
			}
			plain = false
		default:
			plain = plain && c < utf8.RuneSelf
			i++
		}
	}
	return -1, false
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
