package message

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-faster/jx"

	"pixgraph/graph/apierror"
)

// maxDepth bounds the nesting of arrays and objects in a request: the deepest input of the schema has 3 levels, and a
// client's JSON argument may have some more. Decoding recurses once for each level.
const maxDepth = 64

// maxValues bounds the values in a request. A decoded value takes up to 20 times its encoded size. The largest lists of
// the schema have 50 ids.
const maxValues = 10_000

// errText reports bytes that are not Unicode text.
var errText = errors.New("not Unicode text")

// checkText rejects text that a JSON decoder would accept by replacing parts with U+FFFD: invalid UTF-8, and escapes of
// unpaired surrogates. The decoder reports malformed escapes.
func checkText(text []byte) error {
	if !utf8.Valid(text) {
		return errText
	}
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		i++ // the character after a backslash is part of its escape
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

// escapedUnit decodes the UTF-16 code unit of an escape such as "u00e9", without its backslash.
func escapedUnit(text []byte) (unit uint16, ok bool) {
	if len(text) < 5 || text[0] != 'u' {
		return 0, false
	}
	var bytes [2]byte
	_, err := hex.Decode(bytes[:], text[1:5])
	return binary.BigEndian.Uint16(bytes[:]), err == nil
}

// decoder decodes the JSON of one request after checkText.
type decoder struct {
	*jx.Decoder
	limit   int    // of values
	values  int    // that were decoded
	scratch []byte // for strings with escapes, while they are decoded; nil for none
}

// count counts a value.
func (d *decoder) count() error {
	if d.values++; d.values > d.limit {
		return tooManyValues(d.limit)
	}
	return nil
}

// text decodes a string.
func (d *decoder) text() (string, error) {
	if d.scratch == nil {
		return d.Str()
	}
	text, err := d.StrAppend(d.scratch)
	return string(text), err
}

// beginsObject returns an error unless an object follows. A batch, which is an array, has its own error.
func (d *decoder) beginsObject() error {
	switch d.Next() {
	case jx.Object:
		return nil
	case jx.Array:
		return ErrBatch
	case jx.Invalid:
		return ErrJSON
	default:
		return ErrNoObject
	}
}

// parseObject decodes a JSON object without trailing data. It returns nil for null and for an empty text.
func parseObject(text string, otherwise error) (map[string]any, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // counts as absent
	}
	if err := checkText([]byte(text)); err != nil {
		return nil, errParameterJSON
	}
	d := &decoder{Decoder: jx.DecodeStr(text), limit: maxValues}
	value, err := d.value(0)
	if err != nil {
		return nil, refusal(err, errParameterJSON)
	}
	if !d.atEnd() {
		return nil, errParameterJSON
	}
	if value == nil {
		return nil, nil //nolint:nilnil // null counts as absent
	}
	var object map[string]any
	err = set(&object, value, otherwise)
	return object, err
}

// value decodes a value. depth is the number of enclosing arrays and objects. Numbers are decoded as json.Number to
// keep their digits: float64 would round amounts.
func (d *decoder) value(depth int) (any, error) {
	if err := d.count(); err != nil {
		return nil, err
	}
	switch d.Next() {
	case jx.String:
		return d.text()
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
		return nil, ErrJSON
	}
}

// whole removes the fraction and exponent of an integral number: in JSON, 5.0 and 5e0 are the number 5, and so they are
// valid for Int (GraphQL specification, section 3.5.1). Numbers beyond the precision of float64 stay unchanged.
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

// atEnd reports whether only white space follows.
func (d *decoder) atEnd() bool { return d.Skip() == io.EOF } //nolint:errorlint // jx returns io.EOF itself

// refusal returns the apierror.Error in a decoder's error, or else otherwise, because the text of a decoder's error
// quotes its input.
func refusal(err error, otherwise *apierror.Error) *apierror.Error {
	return cmp.Or(apierror.Of(err), otherwise)
}

// parseAny decodes a JSON object with any members, of at most limit values.
func parseAny(body []byte, limit int) (map[string]any, error) {
	if err := checkText(body); err != nil {
		return nil, ErrJSON
	}
	d := &decoder{Decoder: jx.DecodeBytes(body), limit: limit}
	if err := d.beginsObject(); err != nil {
		return nil, err
	}
	value, err := d.value(0)
	if err != nil || !d.atEnd() {
		return nil, refusal(err, ErrJSON)
	}
	object, _ := value.(map[string]any)
	return object, nil
}
