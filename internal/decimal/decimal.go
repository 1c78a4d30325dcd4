// Package decimal adds decimal numbers exactly.
package decimal

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Number is a decimal number: an integer, and digits divided by 10 to the power of scale. Most amounts are integers,
// and so are their sums.
type Number struct {
	whole  int64
	digits big.Int
	scale  int
}

// The bounds of a number, so that one such as 1e999999999 costs nothing.
const (
	maxDigits   = 80
	maxExponent = 40
)

var errNumber = errors.New("is a number with too many digits")

// Set sets the number to an integer.
func (n *Number) Set(value int64) {
	n.whole, n.scale = value, 0
	n.digits.SetInt64(0)
}

// Parse sets the number to a JSON number of up to 80 characters, whose exponent is up to 40.
func (n *Number) Parse(text []byte) error {
	if whole, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		n.Set(whole)
		return nil
	}
	if len(text) > maxDigits {
		return errNumber
	}
	mantissa, exponent := string(text), 0
	if mark := strings.IndexAny(mantissa, "eE"); mark >= 0 {
		var err error
		if exponent, err = strconv.Atoi(mantissa[mark+1:]); err != nil || exponent > maxExponent || exponent < -maxExponent {
			return errNumber
		}
		mantissa = mantissa[:mark]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if _, ok := n.digits.SetString(whole+fraction, 10); !ok {
		return errNumber
	}
	n.whole = 0
	if n.scale = len(fraction) - exponent; n.scale < 0 {
		n.raise(0)
	}
	return nil
}

// raise changes the scale to a larger one, without a change of the value.
func (n *Number) raise(scale int) {
	n.digits.Mul(&n.digits, power(scale-n.scale))
	n.scale = scale
}

func power(exponent int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(exponent)), nil)
}

// fold makes the integer 0, without a change of the value.
func (n *Number) fold() {
	n.digits.Add(&n.digits, new(big.Int).Mul(big.NewInt(n.whole), power(n.scale)))
	n.whole = 0
}

// Total is an exact sum. The zero value is 0.
type Total struct {
	Number
	terms int // the numbers that were added
}

// Empty reports whether no number was added.
func (t *Total) Empty() bool { return t.terms == 0 }

// Add adds a number, whose scale it may change.
func (t *Total) Add(n *Number) {
	t.terms++
	if sum := t.whole + n.whole; (sum > t.whole) != (n.whole > 0) { // it does not fit
		t.fold()
	}
	t.whole += n.whole
	switch {
	case n.digits.Sign() == 0:
		return
	case n.scale > t.scale:
		t.raise(n.scale)
	case n.scale < t.scale:
		n.raise(t.scale)
	}
	t.digits.Add(&t.digits, &n.digits)
}

// Subtract subtracts a number, whose scale it may change.
func (t *Total) Subtract(n *Number) {
	if n.whole == math.MinInt64 { // of which the negative does not fit
		n.fold()
	}
	n.negate()
	t.Add(n)
	n.negate()
}

func (n *Number) negate() {
	n.whole = -n.whole
	n.digits.Neg(&n.digits)
}

// String returns the sum with all of its digits, and without zeros at the end of its fraction.
func (t *Total) String() string {
	sum := new(big.Int).Mul(big.NewInt(t.whole), power(t.scale))
	sum.Add(sum, &t.digits)
	digits, negative := strings.CutPrefix(sum.String(), "-")
	sign := ""
	if negative {
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
