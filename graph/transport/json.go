package transport

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"pixgraph/graph/apierror"

	"github.com/go-faster/jx"
)

// maxDepth bounds arrays and objects within each other in a request: the deepest input of the schema has 3, and a JSON
// argument of a client some more. Decoding goes one call deeper for each.
const maxDepth = 64

// maxValues bounds the values in a request, of which each takes up to 20 times its bytes once it is decoded: the largest
// lists of the schema have 50 ids.
const maxValues = 10_000

// errText says that bytes are no Unicode text.
var errText = errors.New("no Unicode text")

// checkText refuses what a JSON decoder would let pass by putting U+FFFD in its place: bytes that are not UTF-8, and
// escapes of one half of a surrogate pair. Escapes that are wrong in themselves are left to the decoder.
func checkText(text []byte) error {
	if !utf8.Valid(text) {
		return errText
	}
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		i++ // a backslash stands for itself after another
		unit, ok := escapedUnit(text[i:])
		switch {
		case !ok:
		case unit >= 0xDC00 && unit <= 0xDFFF:
			return errText
		case unit >= 0xD800 && unit <= 0xDBFF:
			i += len("uD800")
			if i >= len(text) || text[i] != '\\' {
				return errText
			}
			i++
			if low, ok := escapedUnit(text[i:]); !ok || low < 0xDC00 || low > 0xDFFF {
				return errText
			}
		}
	}
	return nil
}

// escapedUnit is the UTF-16 unit of "uXXXX", the rest of an escape.
func escapedUnit(text []byte) (unit uint16, ok bool) {
	if len(text) < 5 || text[0] != 'u' {
		return 0, false
	}
	for _, c := range text[1:5] {
		unit <<= 4
		switch {
		case c >= '0' && c <= '9':
			unit |= uint16(c - '0')
		case c >= 'a' && c <= 'f':
			unit |= uint16(c-'a') + 10
		case c >= 'A' && c <= 'F':
			unit |= uint16(c-'A') + 10
		default:
			return 0, false
		}
	}
	return unit, true
}

// decoder reads the JSON of one request, whose text checkText found good.
type decoder struct {
	*jx.Decoder
	values int // so far
}

// parseObject reads a JSON object and nothing after it; nil for null.
func parseObject(text string, otherwise error) (map[string]any, error) {
	if err := checkText([]byte(text)); err != nil {
		return nil, errParameterJSON
	}
	d := &decoder{Decoder: jx.DecodeStr(text)}
	value, err := d.value(0)
	if err != nil {
		return nil, refusal(err, errParameterJSON)
	}
	if !d.atEnd() {
		return nil, errParameterJSON
	}
	if value == nil {
		return nil, nil //nolint:nilnil // null is as a parameter that is missing
	}
	var object map[string]any
	err = set(&object, value, otherwise)
	return object, err
}

// value reads a value. depth is the number of arrays and objects around it. Numbers stay json.Number, with their own
// digits: float64 would round amounts.
func (d *decoder) value(depth int) (any, error) {
	if d.values++; d.values > maxValues {
		return nil, errValues
	}
	switch d.Next() {
	case jx.String:
		return d.Str()
	case jx.Number:
		number, err := d.Num()
		return whole(json.Number(number)), err
	case jx.Bool:
		return d.Bool()
	case jx.Null:
		return nil, d.Null()
	case jx.Array:
		if depth == maxDepth {
			return nil, errDepth
		}
		list := []any{}
		err := d.Arr(func(*jx.Decoder) error {
			value, err := d.value(depth + 1)
			list = append(list, value)
			return err
		})
		return list, err
	case jx.Object:
		if depth == maxDepth {
			return nil, errDepth
		}
		object := map[string]any{}
		err := d.Obj(func(_ *jx.Decoder, name string) error {
			if _, twice := object[name]; twice {
				return errDuplicate
			}
			value, err := d.value(depth + 1)
			object[name] = value
			return err
		})
		return object, err
	default:
		return nil, errJSON
	}
}

// whole writes a whole number without fraction and exponent: in JSON 5.0 and 5e0 are the number 5, and so they are an Int
// (GraphQL specification, section 3.5.1). One beyond the digits of a float64 stays as it is.
func whole(number json.Number) json.Number {
	const exact = 1 << 53
	if !strings.ContainsAny(string(number), ".eE") {
		return number
	}
	value, err := number.Float64()
	if err != nil || value != math.Trunc(value) || math.Abs(value) >= exact {
		return number
	}
	return json.Number(strconv.FormatInt(int64(value), 10))
}

// atEnd reports whether only space is left.
func (d *decoder) atEnd() bool { return d.Skip() == io.EOF } //nolint:errorlint // jx returns io.EOF itself

// refusal is our own error in what a decoder returned, and otherwise the other one: a decoder's error quotes its input.
func refusal(err error, otherwise *apierror.Error) *apierror.Error {
	var own *apierror.Error
	if errors.As(err, &own) {
		return own
	}
	return otherwise
}
