// Package decimal adds decimal numbers exactly.
package decimal

import (
	"errors"
	"math/big"
	"strconv"
	"strings"
)

// Number is a decimal number: digits divided by 10 to the power of scale.
type Number struct {
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
	n.digits.SetInt64(value)
	n.scale = 0
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
	if n.scale = len(fraction) - exponent; n.scale < 0 {
		n.raise(0)
	}
	return nil
}

// raise changes the scale to a larger one, without a change of the value.
func (n *Number) raise(scale int) {
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale-n.scale)), nil)
	n.digits.Mul(&n.digits, power)
	n.scale = scale
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
	switch {
	case n.scale > t.scale:
		t.raise(n.scale)
	case n.scale < t.scale:
		n.raise(t.scale)
	}
	t.digits.Add(&t.digits, &n.digits)
	t.terms++
}

// Subtract subtracts a number, whose scale it may change.
func (t *Total) Subtract(n *Number) {
	n.digits.Neg(&n.digits)
	t.Add(n)
	n.digits.Neg(&n.digits)
}

// String returns the sum with all of its digits, and without zeros at the end of its fraction.
func (t *Total) String() string {
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
