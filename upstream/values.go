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

// Text is a JSON string exactly as the API sent it, with its quotes and escapes. Nil is null. It is valid JSON and
// valid UTF-8 without lone surrogates, so it can be copied into a response unchanged.
type Text []byte

// String decodes the text.
func (t Text) String() string { return string(t.Decoded()) }

// Decoded returns the decoded text, which is part of the text itself if it has no escapes.
func (t Text) Decoded() []byte {
	switch {
	case len(t) < len(`""`):
		return nil
	case bytes.IndexByte(t, '\\') < 0:
		return t[1 : len(t)-1]
	}
	var s string
	if err := json.Unmarshal(t, &s); err != nil {
		return nil
	}
	return []byte(s)
}

// Equal reports whether the text is s, ignoring case: the rule for comparing ids.
func (t Text) Equal(s string) bool { return strings.EqualFold(t.String(), s) }

// Cents is an amount of money: a whole number of cents of a Brazilian real (spec: "integer, cents").
type Cents int64

// Decimal is a JSON number exactly as the API sent it, with all digits. Nil is null. The unit depends on the field.
type Decimal []byte

// JSON is a value of any kind exactly as the API sent it. Nil is null.
type JSON []byte

var (
	// ErrMissing is the reason for a member that the contract says is present.
	ErrMissing = errors.New("is missing")
	errNull    = errors.New("is null")
	errInteger = errors.New("is not a 64-bit integer")
	errInt32   = errors.New("is not a 32-bit integer")
	errTooDeep = errors.New("nests too deeply")
	errUnicode = errors.New("is not valid Unicode text")
)

// maxExponent bounds the cost of a number such as 1e999999999. No 64-bit integer needs more.
const maxExponent = 40

// parseInteger reads a JSON number whose value is a 64-bit integer, in any notation: "1500", "1500.0" or "1.5e3".
func parseInteger(number []byte) (int64, error) {
	if i, err := strconv.ParseInt(string(number), 10, 64); err == nil {
		return i, nil
	}
	text := string(number)
	if len(text) > 2*maxExponent {
		return 0, errInteger
	}
	if mark := strings.IndexAny(text, "eE"); mark >= 0 {
		exponent, err := strconv.Atoi(text[mark+1:])
		if err != nil || exponent > maxExponent || exponent < -maxExponent {
			return 0, errInteger
		}
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok || !r.IsInt() || !r.Num().IsInt64() {
		return 0, errInteger
	}
	return r.Num().Int64(), nil
}

// maxNesting bounds the nesting of free-form JSON. Decoders of clients reject a complete response for one value that
// nests deeper: .NET at 64 by default, many others at some hundreds.
const maxNesting = 48

// checkNesting rejects JSON that nests deeper than maxNesting.
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

// checkUnicode rejects bytes that are not UTF-8 and escapes that are half of a surrogate pair. Either would make the
// complete response unreadable to a strict client.
func checkUnicode(value []byte) error {
	if !utf8.Valid(value) || hasLoneSurrogate(value) {
		return errUnicode
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

// codeUnit reads an escape such as \u00e9 at the beginning of value. It returns 0 if value begins otherwise.
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
