package upstream_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pixgraph/upstream"
)

// deposit decodes an object with one member.
func deposit(t *testing.T, member, value string) *upstream.Deposit {
	t.Helper()
	d, err := upstream.Decode[upstream.Deposit](fmt.Appendf(nil, `{"%s":%s}`, member, value))
	if err != nil {
		t.Fatalf("decode: %v", err)
	}
	return d
}

func TestCents(t *testing.T) {
	tests := []struct {
		name, number string
		want         upstream.Cents
		bad          bool
	}{
		{name: "integer", number: "1500", want: 1500},
		{name: "zero", number: "0", want: 0},
		{name: "negative zero", number: "-0", want: 0},
		{name: "negative zero with a fraction", number: "-0.0", want: 0},
		{name: "negative", number: "-1500", want: -1500},
		{name: "integer with a fraction of zero", number: "1500.0", want: 1500},
		{name: "integer with an exponent", number: "1.5e3", want: 1500},
		{name: "capital exponent with a sign", number: "15E+2", want: 1500},
		{name: "negative exponent", number: "150000e-2", want: 1500},
		{name: "above the precision of a double", number: "9007199254740993", want: 9007199254740993},
		{name: "above the precision of a double, with a fraction", number: "9007199254740993.0", want: 9007199254740993},
		{name: "maximum", number: "9223372036854775807", want: math.MaxInt64},
		{name: "minimum", number: "-9223372036854775808", want: math.MinInt64},
		{name: "too large by one", number: "9223372036854775808", bad: true},
		{name: "too large by one, with an exponent", number: "9223372036854775808e0", bad: true},
		{name: "too small by one", number: "-9223372036854775809", bad: true},
		{name: "half a cent", number: "12.5", bad: true},
		{name: "half a cent, with an exponent", number: "125e-1", bad: true},
		{name: "beyond a double", number: "1e400", bad: true},
		{name: "hostile exponent", number: "1e999999999", bad: true},
		{name: "hostile negative exponent", number: "1e-999999999", bad: true},
		{name: "exponent beyond an int", number: "1e99999999999999999999", bad: true},
		{name: "hostile digits", number: strings.Repeat("9", 100_000), bad: true},
		{name: "hostile fraction", number: "1." + strings.Repeat("0", 100_000), bad: true},
		{name: "string", number: `"1500"`, bad: true},
		{name: "boolean", number: "true", bad: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := deposit(t, "amount", tt.number)
			got, err := upstream.Member(d, "amount", upstream.ReadCents)
			if tt.bad {
				wantInvalid(t, err, "amount")
				if allocs := testing.AllocsPerRun(1, func() { _, _ = upstream.Member(d, "amount", upstream.ReadCents) }); allocs > 30 {
					t.Errorf("rejecting it takes %v allocations", allocs)
				}
				return
			}
			if err != nil || got != tt.want {
				t.Errorf("got %d, %v; want %d", got, err, tt.want)
			}
		})
	}
}

func TestDecimalIsUnchanged(t *testing.T) {
	for _, number := range []string{"12.50", "1E400", "-0.0", "0.10", "4294967296", "1e-999999999", strings.Repeat("9", 500)} {
		got, err := upstream.Member(deposit(t, "feeAmount", number), "feeAmount", upstream.ReadDecimal)
		if err != nil || string(got) != number {
			t.Errorf("%.20s: got %.20s, %v", number, got, err)
		}
	}
}

func TestStatusCode(t *testing.T) {
	tests := []struct {
		name, number string
		want         int32
		bad          bool
	}{
		{name: "plain", number: "200", want: 200},
		{name: "with a fraction of zero", number: "200.0", want: 200},
		{name: "maximum", number: "2147483647", want: math.MaxInt32},
		{name: "too large by one", number: "2147483648", bad: true},
		{name: "too small by one", number: "-2147483649", bad: true},
		{name: "fraction", number: "200.5", bad: true},
		{name: "string", number: `"200"`, bad: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := upstream.Member(deposit(t, "statusCode", tt.number), "statusCode", upstream.ReadInt32)
			if tt.bad {
				wantInvalid(t, err, "statusCode")
			} else if err != nil || got != tt.want {
				t.Errorf("got %d, %v; want %d", got, err, tt.want)
			}
		})
	}
}

func TestText(t *testing.T) {
	tests := []struct {
		name, raw, want string
		bad             bool
	}{
		{name: "empty", raw: `""`, want: ""},
		{name: "plain", raw: `"GENIAL"`, want: "GENIAL"},
		{name: "not ASCII", raw: `"São Paulo 😀"`, want: "São Paulo 😀"},
		{name: "escapes", raw: `"a\"\\\/\b\f\n\r\t\u0041"`, want: "a\"\\/\b\f\n\r\tA"},
		{name: "NUL", raw: `"\u0000"`, want: "\x00"},
		{name: "a surrogate pair", raw: `"\ud83d\uDE00!"`, want: "😀!"},
		{name: "two surrogate pairs", raw: `"\ud83d\ude00\ud83d\ude01"`, want: "😀😁"},
		{name: "an escaped backslash before u", raw: `"\\ud800"`, want: `\ud800`},
		{name: "line separators", raw: "\"\u2028\u2029\"", want: "\u2028\u2029"},
		{name: "the replacement character itself", raw: "\"\ufffd\"", want: "\ufffd"},
		{name: "high surrogate alone", raw: `"\ud83d"`, bad: true},
		{name: "high surrogate, then text", raw: `"\ud83dabcdef"`, bad: true},
		{name: "high surrogate, then another escape", raw: `"\ud83d\n\ude00"`, bad: true},
		{name: "two high surrogates", raw: `"\ud83d\ud83d\ude00"`, bad: true},
		{name: "low surrogate alone", raw: `"\ude00"`, bad: true},
		{name: "a surrogate pair in the wrong order", raw: `"\ude00\ud83d"`, bad: true},
		{name: "a byte that is not UTF-8", raw: "\"a\xffb\"", bad: true},
		{name: "a truncated character", raw: "\"\xc3\"", bad: true},
		{name: "an overlong form", raw: "\"\xc0\xaf\"", bad: true},
		{name: "a surrogate in UTF-8", raw: "\"\xed\xa0\x80\"", bad: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := upstream.Decode[upstream.Deposit]([]byte(`{"acquirer":` + tt.raw + `,"externalCode":"kept","id":` + tt.raw + `}`))
			must(t, err)
			got, err := upstream.Member(d, "acquirer", upstream.ReadText)
			if tt.bad {
				wantInvalid(t, err, "acquirer")
			} else if err != nil || string(got) != tt.raw || got.String() != tt.want {
				t.Errorf("got %s = %q, %v; want %s = %q", got, got.String(), err, tt.raw, tt.want)
			}
			if code, err := upstream.Member(d, "externalCode", upstream.ReadText); err != nil || code.String() != "kept" {
				t.Errorf("another field: %q, %v", code.String(), err)
			}
		})
	}
}

func TestTextEqual(t *testing.T) {
	tests := []struct {
		name, text, id string
		want           bool
	}{
		{"same", `"ntf_01"`, "ntf_01", true},
		{"other case", `"C2B0E1A4"`, "c2b0e1a4", true},
		{"escaped", `"c2b\u0030"`, "c2b0", true},
		{"other", `"c2b0"`, "c2b1", false},
		{"longer", `"c2b0 "`, "c2b0", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := upstream.Text(tt.text).Equal(tt.id); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
	if upstream.Text(nil).String() != "" || upstream.Text(nil).Equal("ntf_01") {
		t.Error("a null text is not empty")
	}
}

func TestEnumerations(t *testing.T) {
	tests := []struct {
		name, raw, want string
	}{
		{"known", `"PAID"`, "PAID"},
		{"known, escaped", `"P\u0041ID"`, "PAID"},
		{"new", `"ON_HOLD"`, "UNKNOWN"},
		{"of another resource", `"PROCESSED"`, "UNKNOWN"},
		{"in another case", `"paid"`, "UNKNOWN"},
		{"empty", `""`, "UNKNOWN"},
		{"UNKNOWN from the API", `"UNKNOWN"`, "UNKNOWN"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := deposit(t, "status", tt.raw)
			got, err := upstream.StatusOf(d)
			raw, rawErr := upstream.Member(d, "status", upstream.ReadText)
			if err != nil || rawErr != nil || string(got) != tt.want || string(raw) != tt.raw {
				t.Errorf("got %s (%v), raw %s (%v); want %s, %s", got, err, raw, rawErr, tt.want, tt.raw)
			}
		})
	}
	if upstream.DepositStatus(upstream.Unknown).Known() {
		t.Error("UNKNOWN is known")
	}
}

func TestJSONIsUnchanged(t *testing.T) {
	tests := []struct {
		name, raw string
		bad       bool
	}{
		{name: "numbers beyond a double", raw: `{"a":1E400,"b":-0.0,"c":9007199254740993}`},
		{name: "space, escapes and order", raw: "{ \"b\" : \"\\u0041\\/\" ,\n\t\"a\": [ ] }"},
		{name: "names with a meaning elsewhere", raw: `{"__proto__":{},"__typename":"Query","":0}`},
		{name: "members twice", raw: `{"a":1,"a":2}`},
		{name: "string", raw: `"event=paid"`},
		{name: "false", raw: `false`},
		{name: "nested null", raw: `[null]`},
		{name: "nested 48 deep", raw: strings.Repeat(`{"a[":[`, 24) + strings.Repeat("]}", 24)},
		{name: "many brackets, not nested and in strings", raw: `["[[[[\"[[[[[[[[` + strings.Repeat("[", 60) + `"` + strings.Repeat(",[]", 60) + `]`},
		{name: "nested 49 deep", raw: strings.Repeat("[", 49) + strings.Repeat("]", 49), bad: true},
		{name: "nested 9,000 deep", raw: strings.Repeat("[", 9000) + strings.Repeat("]", 9000), bad: true},
		{name: "half a surrogate pair in a nested value", raw: `[{"a":["\ud800"]}]`, bad: true},
		{name: "half a surrogate pair in a name", raw: `{"\udc00":1}`, bad: true},
		{name: "not UTF-8 in a name", raw: "{\"\xff\":1}", bad: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := upstream.Decode[upstream.Transaction]([]byte(`{"metadata": ` + tt.raw + ` ,"acquirer":"kept"}`))
			must(t, err)
			got, err := d.Metadata()
			if tt.bad {
				wantInvalid(t, err, "metadata")
			} else if err != nil || string(got) != tt.raw {
				t.Errorf("got %.80s, %v; want %.80s", got, err, tt.raw)
			}
			if acquirer, err := upstream.Member(d, "acquirer", upstream.ReadText); err != nil || acquirer.String() != "kept" {
				t.Errorf("another field: %q, %v", acquirer.String(), err)
			}
		})
	}
}
