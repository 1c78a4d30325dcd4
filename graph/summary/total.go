package summary

import (
	"errors"
	"math/big"
	"strconv"
	"strings"

	"pixgraph/upstream"
)

// number is a decimal number: digits divided by 10 to the power of scale.
type number struct {
	digits big.Int
	scale  int
}

// The bounds of a number, so that one such as 1e999999999 costs nothing.
const (
	maxDigits   = 80
	maxExponent = 40
)

var errNumber = errors.New("is a number with too many digits")

// parse parses a JSON number.
func parse(text upstream.Decimal) (n number, err error) {
	if len(text) > maxDigits {
		return n, errNumber
	}
	mantissa, exponent := string(text), 0
	if mark := strings.IndexAny(mantissa, "eE"); mark >= 0 {
		if exponent, err = strconv.Atoi(mantissa[mark+1:]); err != nil || exponent > maxExponent || exponent < -maxExponent {
			return n, errNumber
		}
		mantissa = mantissa[:mark]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if _, ok := n.digits.SetString(whole+fraction, 10); !ok {
		return n, errNumber
	}
	if n.scale = len(fraction) - exponent; n.scale < 0 {
		n.raise(0)
	}
	return n, nil
}

// raise changes the scale to a larger one, without a change of the value.
func (n *number) raise(scale int) {
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale-n.scale)), nil)
	n.digits.Mul(&n.digits, power)
	n.scale = scale
}

// total is an exact sum. The zero value is 0.
type total struct {
	number
	terms int // the numbers that were added
}

// add adds a number, whose scale it may change.
func (t *total) add(n *number) {
	switch {
	case n.scale > t.scale:
		t.raise(n.scale)
	case n.scale < t.scale:
		n.raise(t.scale)
	}
	t.digits.Add(&t.digits, &n.digits)
	t.terms++
}

// String returns the sum with all of its digits, and without zeros at the end of its fraction.
func (t *total) String() string {
	digits, sign := new(big.Int).Abs(&t.digits).String(), ""
	if t.digits.Sign() < 0 {
		sign = "-"
	}
	if missing := t.scale + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) - t.scale
	fraction := strings.TrimRight(digits[point:], "0")
	if fraction != "" {
		fraction = "." + fraction
	}
	return sign + digits[:point] + fraction
}
