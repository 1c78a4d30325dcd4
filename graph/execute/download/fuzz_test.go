package download

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pixgraph/upstream/wire"
)

// columns is a table whose records have a text, an object with two values, a list and free-form JSON.
func columns() *Table {
	inner := object{[]field{{key: "b"}, {key: "c"}}, 2}
	return &Table{columns: object{[]field{
		{key: "a"}, {key: "o", form: formObject, object: inner}, {key: "l", form: formTexts}, {key: "j", form: formJSON},
	}, 5}}
}

// FuzzCSV: a reader of RFC 4180 gets the values back, each in its column, and no text begins like a formula.
func FuzzCSV(f *testing.F) {
	for _, text := range append([]string{"", "a", "a,b\"c\r\nd", " é ", "'"}, hostile...) {
		f.Add(text, text, true)
	}
	f.Fuzz(func(t *testing.T, text, other string, filled bool) {
		if !utf8.ValidString(text) || !utf8.ValidString(other) {
			return // the gateway accepts no such text
		}
		record := map[string]any{"a": text, "o": nil, "l": []any{other, nil, text}, "j": map[string]any{"k": text}}
		if filled {
			record["o"] = map[string]any{"b": other, "c": -5}
		}
		encoded := encode(t, record, "a", "o", "l", "j")
		value, err := wire.Index(encoded)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		CSV{}.Begin(&out, columns())
		CSV{}.Record(&out, columns(), value, nil)
		rows, err := csv.NewReader(&out).ReadAll()
		if err != nil || len(rows) != 2 || strings.Join(rows[0], " ") != "a o.b o.c l j" {
			t.Fatalf("%v: %q", err, rows)
		}
		var free map[string]string
		if json.Unmarshal([]byte(rows[1][4]), &free) != nil || len(free) != 1 || free["k"] != text {
			t.Errorf("free-form JSON: %q", rows[1][4])
		}
		want := []string{text, "", "", other + "; ; " + text}
		if filled {
			want[1], want[2] = other, "-5"
		}
		for i := range want {
			if plain := strings.ReplaceAll(want[i], "\r\n", "\n"); !hasAdded(rows[1][i], plain) { // as encoding/csv reads line breaks
				t.Errorf("column %d: %q, want %q", i, rows[1][i], plain)
			}
		}
		out.Reset()
		record["o"] = nil // a number may begin like a formula
		if value, err = wire.Index(encode(t, record, "a", "o", "l", "j")); err != nil {
			t.Fatal(err)
		}
		CSV{}.Record(&out, columns(), value, nil)
		wantNoFormula(t, out.String())
	})
}

// hasAdded reports whether a cell is a text with nothing but apostrophes added.
func hasAdded(cell, text string) bool {
	at := 0
	for i := range len(cell) {
		if at < len(text) && cell[i] == text[at] {
			at++
		} else if cell[i] != '\'' {
			return false
		}
	}
	return at == len(text)
}

// encode encodes members in an order, without HTML escapes.
func encode(t *testing.T, record map[string]any, order ...string) []byte {
	t.Helper()
	out := []byte{'{'}
	for i, name := range order {
		if i > 0 {
			out = append(out, ',')
		}
		value, err := json.Marshal(record[name])
		if err != nil {
			t.Fatal(err)
		}
		out = append(append(out, '"'), name...)
		out = append(append(out, '"', ':'), value...)
	}
	return append(out, '}')
}

// FuzzLines: a record is one line, which has the same value.
func FuzzLines(f *testing.F) {
	f.Add("{\"a\":\r\n[1,\n\n\"\\n\"]}")
	f.Fuzz(func(t *testing.T, text string) {
		value, err := wire.Index([]byte(text))
		if err != nil {
			return
		}
		var out, want, got bytes.Buffer
		Lines{}.Record(&out, nil, value, nil)
		line, ended := strings.CutSuffix(out.String(), "\n")
		if !ended || strings.ContainsAny(line, "\r\n") || len(line) != len(value.Bytes()) {
			t.Fatalf("%q", out.String())
		}
		if json.Compact(&want, []byte(text)) != nil || json.Compact(&got, []byte(line)) != nil || got.String() != want.String() {
			t.Errorf("%q, want %q", got.String(), want.String())
		}
	})
}
