package download

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"pixgraph/graph/generated"
	"pixgraph/upstream/wire"
)

func TestReais(t *testing.T) {
	for cents, want := range map[string]string{
		"5170": "51,70", "0": "0,00", "7": "0,07", "-3": "-0,03", "-100": "-1,00", "99": "0,99", "100": "1,00",
		"9223372036854775807": "92233720368547758,07", "-9223372036854775808": "-92233720368547758,08",
		"123456789012345678901234567890": "1234567890123456789012345678,90", "10.5": "0,105", "-10000000000000003.91": "-100000000000000,0391",
	} {
		if got, ok := reais(cents); got != want || !ok {
			t.Errorf("%s: %s, want %s", cents, got, want)
		}
	}
	for _, text := range []string{"", "-", "1e3", "x", "--1", "=1", ".5"} {
		if got, ok := reais(text); ok {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// TestBrazilianTimes: a time is that of America/Sao_Paulo, also with the daylight saving time of its past. One without
// an offset has no instant, so it stays as it is.
func TestBrazilianTimes(t *testing.T) {
	for text, want := range map[string]string{
		"2026-11-23T17:05:09.999Z": "23/11/2026 14:05:09", "2026-11-24T02:59:59Z": "23/11/2026 23:59:59", "2026-01-01T00:00:00-03:00": "01/01/2026 00:00:00",
		"2018-12-01T02:30Z": "01/12/2018 00:30:00", "2026-11-23 14:05:09-0300": "23/11/2026 14:05:09",
		"2026-11-23T14:05:09": "", "2026-11-23": "", "yesterday": "", "": "", "2026-02-30T00:00:00Z": "",
	} {
		if got, ok := brazilianTime(text); got != want || ok != (want != "") {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for _, none := range []string{"0001-01-01T00:00:00Z", "0001-01-01T00:00:00", "0001-01-01 00:00:00-0300"} {
		if got, ok := brazilianTime(none); got != "" || !ok {
			t.Errorf("%q: %q, %v", none, got, ok)
		}
	}
	for text, want := range map[string]string{"2026-11-03": "03/11/2026", "10000-01-01": "", "x": ""} {
		if got, ok := brazilianDay(text); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestExcelChanges: what Excel reads as a number, a date, a time, a boolean or an error, in Portuguese or in English.
func TestExcelChanges(t *testing.T) {
	for _, text := range []string{
		"00123", "52998224725", "12345678901234567890", "1E5", "1e-5", "-1", "+5511987654321", "1-2", "1/2", "2026-11-23", "10:30", "10:30 PM", "50%",
		"1.234,56", "R$ 51,70", "(5)", " 7", "7 ", "1 1/2", "jan/26", "2-MAR", "SEPT2", "MARÇO 1", "2 de janeiro de 2026", "TRUE", "verdadeiro", "#N/A",
		"#N/D", "\n#N/A", "1\n", strings.Repeat("1", 256), "#REF!", "#NÚM!", "１２", "529.982.247-25", "2026-11-23T14:05:09", "€ 5", "1\u00a0000", "0",
	} {
		if !excelChanges(text) {
			t.Errorf("%q may change", text)
		}
	}
	for _, text := range []string{
		"", "a", "Maria", "Loja 2", "E1F", "12b", "x1", "-", "+", "***.783.097-**", "f2dc7925-3b96-4b1f-a7ad-3351051ce9fc", "jan", "#1;2", `1"2`, "1\t2",
		"1\n2", "1;2", "1,-2", "=1", "@1", "#=1", "1=2", "\x001",
	} {
		if excelChanges(text) {
			t.Errorf("%q does not change", text)
		}
	}
}

// TestLongCells: a cell has at most what Excel reads, 32,767 units of UTF-16, and its end says that it was cut.
func TestLongCells(t *testing.T) {
	const most = 32767
	for text, cut := range map[string]bool{
		strings.Repeat("a", most): false, strings.Repeat("a", most+1): true, strings.Repeat(";", most): false, strings.Repeat(";", most+1): true,
		strings.Repeat(`"`, most): false, strings.Repeat(`"`, most+1): true, strings.Repeat("é", most): false, strings.Repeat("é\"", most): true,
		strings.Repeat("😀", most/2): false, strings.Repeat("😀", most/2+1): true, strings.Repeat("a=b,", most): true, strings.Repeat("1", 2*most): true,
	} {
		for form, value := range map[form]any{formScalar: text, formTexts: []string{text}, formJSON: map[string]string{"k": text}} {
			indexed, err := wire.Index(encode(t, map[string]any{"a": value}, "a"))
			if err != nil {
				t.Fatal(err)
			}
			for _, dialect := range dialects {
				var out bytes.Buffer
				CSV{NoHeader: true, Dialect: dialect}.Record(&out, &Table{columns: object{[]field{{key: "a", form: form}}, 1}}, indexed, nil)
				reader := csv.NewReader(strings.NewReader(out.String()))
				reader.Comma = rune(dialect.separator)
				rows, err := reader.ReadAll()
				if err != nil || len(rows) != 1 || len(rows[0]) != 1 {
					t.Fatalf("%v, %d rows: %.50q", err, len(rows), out.String())
				}
				cell := rows[0][0]
				units := len(utf16.Encode([]rune(cell)))
				switch marked := strings.HasSuffix(strings.TrimSuffix(cell, `"`), "(cortado pelo limite do Excel)"); {
				case dialect == exact && marked, dialect == Portuguese && form != formJSON && marked != cut:
					t.Errorf("%.3q, %d units: cut %v", text, units, marked)
				case dialect == Portuguese && (units > most || marked && units < most-3 || !utf8.ValidString(cell)):
					t.Errorf("%.3q: %d units", text, units)
				}
			}
		}
	}
}

// TestCents: the fields of the schema that are written in reais are those whose descriptions say that they are in
// cents.
func TestCents(t *testing.T) {
	for _, definition := range generated.NewExecutableSchema(generated.Config{}).Schema().Types {
		for _, field := range definition.Fields {
			says := strings.Contains(field.Description, "cents")
			if field.Type.Name() == "DecimalText" && (unitOf(definition, field) == unitCents) != says {
				t.Errorf("%s.%s: %s", definition.Name, field.Name, field.Description)
			}
		}
	}
}

// numberLike matches what a spreadsheet surely takes for a number or a date.
var numberLike = regexp.MustCompile(`^\s*[-+]?\d[\d.,]*([eE][-+]?\d+)?\s*$|^\d+[-/]\d+([-/]\d+)?$`)

// FuzzPortuguese: a reader of the dialect gets the values back: texts from their formulas, amounts in cents, numbers
// with a point and times to the second. No text looks like a number, and none leads to a formula.
func FuzzPortuguese(f *testing.F) {
	for i, text := range append([]string{"", "00123", "1E5", "1-2", "-1", "+55", "1,5", "a;b\"c", "TRUE", "#N/A", " é ", "'1"}, hostile...) {
		f.Add(text, text, int64(i)*math.MaxInt64/50, int64(i), uint8(i))
	}
	table := &Table{columns: object{[]field{
		{key: "a"}, {key: "l", form: formTexts}, {key: "j", form: formJSON}, {key: "c", unit: unitCents}, {key: "s", unit: unitCents},
		{key: "n", unit: unitNumber}, {key: "t", unit: unitTime}, {key: "u", unit: unitTime}, {key: "b"},
	}, 9}}
	f.Fuzz(func(t *testing.T, text, other string, cents, seconds int64, scale uint8) {
		if !utf8.ValidString(text) || !utf8.ValidString(other) {
			return // the gateway accepts no such text
		}
		at := time.Unix(seconds%250_000_000_000, 0).UTC() // until the year 9892
		if at.Year() < 0 {
			return
		}
		sum := new(big.Int).Mul(big.NewInt(cents), big.NewInt(math.MaxInt64)).String()
		number := fmt.Sprintf("%d.%0*d", cents/2, int(scale%20)+1, scale)
		record := map[string]any{
			"a": text, "l": []any{other, text}, "j": map[string]any{"k": []any{other, -5}}, "c": cents, "s": sum, "n": json.Number(number),
			"t": at.Add(999 * time.Millisecond).Format(time.RFC3339Nano), "u": other, "b": true,
		}
		order := []string{"a", "l", "j", "c", "s", "n", "t", "u", "b"}
		row := func() string {
			value, err := wire.Index(encode(t, record, order...))
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			CSV{Dialect: Portuguese, NoHeader: true}.Record(&out, table, value, nil)
			return out.String()
		}
		reader := csv.NewReader(strings.NewReader(row()))
		reader.Comma = ';'
		rows, err := reader.ReadAll()
		if err != nil || len(rows) != 1 || len(rows[0]) != len(order) {
			t.Fatalf("%v: %q", err, rows)
		}
		cells := rows[0]
		for i, want := range map[int]string{0: text, 1: other + "; " + text, 7: other} {
			if _, _, instant := strings.Cut(other, ":"); i == 7 && instant {
				continue // may be a time
			}
			want = strings.ReplaceAll(want, "\r\n", "\n") // as encoding/csv reads line breaks
			if inner, literal := strings.CutPrefix(cells[i], `="`); literal {
				if inner != want+`"` || !isLiteral.MatchString(cells[i]) {
					t.Errorf("column %d: %q, want %q", i, cells[i], want)
				}
			} else if !hasAdded(cells[i], want) || numberLike.MatchString(cells[i]) {
				t.Errorf("column %d: %q, want %q", i, cells[i], want)
			}
		}
		var free map[string][]any
		if json.Unmarshal([]byte(cells[2]), &free) != nil || len(free["k"]) != 2 || free["k"][0] != other {
			t.Errorf("free-form JSON: %q", cells[2])
		}
		for i, want := range map[int]string{3: strconv.FormatInt(cents, 10), 4: sum} {
			whole, fraction, _ := strings.Cut(cells[i], ",")
			got, ok := new(big.Int).SetString(whole+fraction, 10)
			if !ok || len(fraction) != 2 || got.String() != want {
				t.Errorf("%q, want %s cents", cells[i], want)
			}
		}
		if got := strings.ReplaceAll(cells[5], ",", "."); got != number {
			t.Errorf("%q, want %s", cells[5], number)
		}
		if got, err := time.ParseInLocation("02/01/2006 15:04:05", cells[6], saoPaulo()); err != nil || !sameClock(got, at) {
			t.Errorf("%q, want %v", cells[6], at)
		}
		if cells[8] != "true" {
			t.Errorf("%q", cells[8])
		}
		for _, key := range []string{"c", "s", "n"} { // may begin like a formula
			record[key] = nil
		}
		record["j"] = map[string]any{"k": []any{other, 5}}
		wantNoFormula(t, row())
	})
}

// sameClock reports whether two times show the same in America/Sao_Paulo; an hour that occurs twice is ambiguous.
func sameClock(a, b time.Time) bool {
	return slices.Equal([]byte(a.In(saoPaulo()).Format(time.DateTime)), []byte(b.In(saoPaulo()).Format(time.DateTime)))
}
