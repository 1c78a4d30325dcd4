package upstream

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Text is a JSON string exactly as the API wrote it, quotes and escapes included. Nil stands for null.
// It is valid JSON and valid UTF-8 without lone surrogates, so it can be copied into an answer as it is.
type Text []byte

// String decodes the text.
func (t Text) String() string {
	if len(t) >= 2 && bytes.IndexByte(t, '\\') < 0 {
		return string(t[1 : len(t)-1])
	}
	var s string
	if err := json.Unmarshal(t, &s); err != nil {
		return ""
	}
	return s
}

// Equal reports whether the text says s, whatever its letters' case: the rule for comparing ids.
func (t Text) Equal(s string) bool { return strings.EqualFold(t.String(), s) }

// Cents is an amount of money: a whole number of cents of a Brazilian real (spec: "integer, cents").
type Cents int64

// Decimal is a JSON number's own text, digit for digit. Nil stands for null. The unit is the field's.
type Decimal []byte

// JSON is a value of any kind exactly as the API wrote it. Nil stands for null.
type JSON []byte

var (
	errMissing   = errors.New("is missing")
	errNull      = errors.New("is null")
	errNoInteger = errors.New("is not a 64-bit integer")
	errNoInt32   = errors.New("is not a 32-bit integer")
	errTooDeep   = errors.New("nests too deeply")
	errNotUTF8   = errors.New("is not valid Unicode text")
)

// maxExponent bounds the work that a number such as 1e999999999 can cost: no 64-bit integer needs more.
const maxExponent = 40

// parseInteger reads a JSON number whose value is a 64-bit integer: "1500", "1500.0" and "1.5e3" alike.
func parseInteger(number []byte) (int64, error) {
	if i, err := strconv.ParseInt(string(number), 10, 64); err == nil {
		return i, nil
	}
	text := string(number)
	if len(text) > 2*maxExponent {
		return 0, errNoInteger
	}
	if mark := strings.IndexAny(text, "eE"); mark >= 0 {
		exponent, err := strconv.Atoi(text[mark+1:])
		if err != nil || exponent > maxExponent || exponent < -maxExponent {
			return 0, errNoInteger
		}
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok || !r.IsInt() || !r.Num().IsInt64() {
		return 0, errNoInteger
	}
	return r.Num().Int64(), nil
}

// maxNesting bounds free-form JSON, in arrays and objects within each other. Decoders of clients refuse a whole answer
// for one value that nests deeper: .NET at 64 by itself, many others at some hundreds.
const maxNesting = 48

// checkNesting refuses JSON that nests deeper.
func checkNesting(value []byte) error {
	depth := 0
	for i := 0; i < len(value); i++ {
		switch value[i] {
		case '"':
			for i++; i < len(value) && value[i] != '"'; i++ {
				if value[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			if depth++; depth > maxNesting {
				return errTooDeep
			}
		case '}', ']':
			depth--
		}
	}
	return nil
}

// checkUnicode refuses bytes that are not UTF-8 and escapes that are half a surrogate pair: either would make
// the whole answer unreadable to a strict client.
func checkUnicode(value []byte) error {
	if !utf8.Valid(value) || hasLoneSurrogate(value) {
		return errNotUTF8
	}
	return nil
}

func hasLoneSurrogate(value []byte) bool {
	for {
		i := bytes.IndexByte(value, '\\')
		if i < 0 || i+1 >= len(value) {
			return false
		}
		if value[i+1] != 'u' {
			value = value[i+2:]
			continue
		}
		unit := codeUnit(value[i:])
		value = value[i+6:]
		switch {
		case unit >= 0xDC00 && unit <= 0xDFFF:
			return true
		case unit >= 0xD800 && unit <= 0xDBFF:
			if low := codeUnit(value); low < 0xDC00 || low > 0xDFFF {
				return true
			}
			value = value[6:]
		}
	}
}

// codeUnit reads the \uXXXX escape that value begins with; 0 when there is none.
func codeUnit(value []byte) uint64 {
	if len(value) < 6 || value[0] != '\\' || value[1] != 'u' {
		return 0
	}
	unit, err := strconv.ParseUint(string(value[2:6]), 16, 32)
	if err != nil {
		return 0
	}
	return unit
}
