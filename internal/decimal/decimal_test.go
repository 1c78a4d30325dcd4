package decimal

import (
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// TestTotal compares sums of random JSON numbers with sums of math/big's fractions.
func TestTotal(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		var (
			sum Total
			n   Number
		)
		want := new(big.Rat)
		for range random.IntN(20) {
			text := strconv.FormatInt(random.Int64()>>random.IntN(63), 10)
			if random.IntN(10) == 0 {
				text = "9223372036854775808" // of which only the negative is an integer of 64 bits
			}
			if random.IntN(2) == 0 {
				text += "." + strconv.FormatInt(random.Int64()>>random.IntN(63), 10)
			}
			if random.IntN(3) == 0 {
				text += []string{"e", "E+", "E-", "e-0"}[random.IntN(4)] + strconv.Itoa(random.IntN(maxExponent+1))
			}
			if random.IntN(2) == 0 {
				text = "-" + text
			}
			if err := n.Parse([]byte(text)); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			value, _ := new(big.Rat).SetString(text)
			if random.IntN(2) == 0 {
				sum.Add(&n)
				want.Add(want, value)
			} else {
				sum.Subtract(&n)
				want.Sub(want, value)
			}
		}
		got, ok := new(big.Rat).SetString(sum.String())
		if !ok || got.Cmp(want) != 0 {
			t.Fatalf("%s, want %s", sum.String(), want.FloatString(100))
		}
	}
}

// TestTotalText: a sum has one form, without an exponent.
func TestTotalText(t *testing.T) {
	for _, tt := range []struct{ numbers, want string }{
		{"", "0"},
		{"-0", "0"},
		{"-0.0 0e5", "0"},
		{"1e2", "100"},
		{"1.50 -0.5", "1"},
		{"0.001 -0.002", "-0.001"},
		{"10.5 0.50", "11"},
		{"9223372036854775807 9223372036854775807", "18446744073709551614"},
		{"9007199254740993 0.1", "9007199254740993.1"},
	} {
		var (
			sum Total
			n   Number
		)
		for text := range strings.FieldsSeq(tt.numbers) {
			if err := n.Parse([]byte(text)); err != nil {
				t.Fatal(err)
			}
			sum.Add(&n)
		}
		if got := sum.String(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.numbers, got, tt.want)
		}
	}
	for _, text := range []string{"1e41", "1e-41", "1e999999999999999999999", strings.Repeat("9", maxDigits+1)} {
		if new(Number).Parse([]byte(text)) == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}

// FuzzNumber: a number costs little and causes no panic, whatever its text is.
func FuzzNumber(f *testing.F) {
	for _, text := range []string{"1", "-1.5e3", "1e40", ".", "-", "1_0", "e", "--1", "0x1", "1.2.3", "1e+-3"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var n Number
		if n.Parse([]byte(text)) != nil {
			return
		}
		var sum Total
		sum.Add(&n)
		if length := len(sum.String()); length > maxDigits+maxExponent+3 {
			t.Errorf("%q has %d digits", text, length)
		}
	})
}
