package message

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
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
	var decoded [2]byte
	_, err := hex.Decode(decoded[:], text[1:5])
	return binary.BigEndian.Uint16(decoded[:]), err == nil
}

// decoder decodes the JSON of one request after checkText.
type decoder struct {
	*jx.Decoder
	limit   int    // of values
	values  int    // that were decoded
	scratch []byte // empty, for strings while they are decoded
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
	text, err := d.StrAppend(d.scratch)
	return string(text), err
}

// decoders pools decoders, each with a scratch of at most maxScratch.
var decoders = sync.Pool{New: func() any { return &decoder{Decoder: new(jx.Decoder)} }}

// newDecoder returns a decoder of a text with at most limit values, which must be released.
func newDecoder(text []byte, limit int) (*decoder, error) {
	if err := checkText(text); err != nil {
		return nil, err
	}
	d := decoders.Get().(*decoder)
	d.ResetBytes(text)
	d.limit, d.values = limit, 0
	if len(text) <= maxScratch {
		d.scratch = slices.Grow(d.scratch, len(text))
	}
	return d, nil
}

func (d *decoder) release() {
	d.ResetBytes(nil)
	decoders.Put(d)
}

// end returns the error of a decoder, or else refused unless only white space follows: the text of a decoder's own
// error quotes its input.
func (d *decoder) end(err error, refused *apierror.Error) error {
	if err == nil && d.Skip() == io.EOF { //nolint:errorlint // jx returns io.EOF itself
		return nil
	}
	return cmp.Or(apierror.Of(err), refused)
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

// parse decodes a JSON value. refused is the error for other texts.
func parse(text string, refused *apierror.Error) (any, error) {
	d, err := newDecoder([]byte(text), maxValues)
	if err != nil {
		return nil, refused
	}
	defer d.release()
	value, err := d.value(0)
	return value, d.end(err, refused)
}

// parseObject decodes a JSON object with any members.
func parseObject(body []byte, limit int) (map[string]any, error) {
	d, err := newDecoder(body, limit)
	if err != nil {
		return nil, ErrJSON
	}
	defer d.release()
	if err := d.beginsObject(); err != nil {
		return nil, err
	}
	value, err := d.value(0)
	object, _ := value.(map[string]any)
	return object, d.end(err, ErrJSON)
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
