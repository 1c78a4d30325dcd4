package download

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pixgraph/upstream/wire"
)

// cellsOf splits a file as a lenient spreadsheet does that expects a separator: quotes count only where a cell begins.
func cellsOf(text string, separator byte) (cells []string) {
	for i := 0; i < len(text); i++ {
		var cell []byte
		if text[i] == '"' {
			for i++; i < len(text) && (text[i] != '"' || i+1 < len(text) && text[i+1] == '"'); i++ {
				if text[i] == '"' {
					i++
				}
				cell = append(cell, text[i])
			}
			i++ // the quote
		}
		for ; i < len(text) && text[i] != separator && text[i] != '\r' && text[i] != '\n'; i++ {
			cell = append(cell, text[i])
		}
		cells = append(cells, string(cell))
	}
	return cells
}

// isFormula reports whether a spreadsheet may evaluate a cell: also one that drops characters that are not shown, or
// that takes full-width characters for others.
func isFormula(cell string) bool {
	if isPhone([]byte(cell)) {
		return false
	}
	shown := strings.TrimLeft(cell, " \t\r\n\x00\x0b\x0c\x1f\u00a0\ufeff\u200b")
	for _, begin := range []string{"=", "+", "-", "@", "＝", "＋", "－", "＠"} {
		if strings.HasPrefix(shown, begin) {
			return true
		}
	}
	return false
}

// isLiteral matches the beginning of a cell with a formula that is a text: nothing else can follow in the formula,
// because a semicolon in a formula is an error.
var isLiteral = regexp.MustCompile(`^="[^"=@\\\t\r\n]*"(;|$)`)

func wantNoFormula(t *testing.T, file string) {
	t.Helper()
	for _, separator := range []byte(",;\t") {
		cells := cellsOf(file, separator)
		if slices.ContainsFunc(cells, func(cell string) bool { return isFormula(cell) && !isLiteral.MatchString(cell) }) {
			t.Errorf("separated by %q: %q", separator, cells)
		}
	}
}

// dialects are those of CSV.
var dialects = []*Dialect{exact, Portuguese}

// hostile are texts of records that aim at a spreadsheet.
var hostile = []string{
	`=1`, `+1`, `-1`, `@x`, "\t=1", "\r=1", "\n=1", ` =1`, "\x00=1", "\x1f@x", "\ufeff=1", "\u00a0=1", "\u200b=1", `＝1`, `＋1`, `－1`, `＠x`,
	`a,=1`, `a,"=1`, `1,-2`, `1,=2`, `1;-2`, `1,""=2`, `1"=2`, `#;=1`, `#"=1`, "1\n-2", "\n1", "\t1", ` -1`, `="1"`, `1"&A1&"`, `-E5`, `+A1`,
	`a;=1`, `a; =1`, `a;"=1`, `a;""=1;x`, "a\t\"=1\t", "a\n\"=1\n", "a\r\n\"\" \"=1", "a;\ufeff=1", "a;＝1", "a;\x00=1;", `";=1`, `;`, `;;=`,
}

// TestFirstName: a file whose first column is named ID by an alias does not begin as one in SYLK does. So does none
// without names whose first text begins so, or begins as the choice of a separator does.
func TestFirstName(t *testing.T) {
	for name, want := range map[string]string{"ID": `"ID",b`, "IDs": `"IDs",b`, "id": "id,b", "b": "b,b"} {
		var out bytes.Buffer
		CSV{}.Begin(&out, &Table{columns: object{[]field{{key: name}, {key: "b"}}, 2}})
		if got := strings.TrimSpace(out.String()); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	for text, want := range map[string]string{"ID 7": `"ID 7"`, "sep=|": `"'sep=|"`, "Sep=\t": "\"'Sep=\t\"", "sep": "sep"} {
		for _, dialect := range dialects {
			var out bytes.Buffer
			if dialect.text(&out, []byte(text)); out.String() != want {
				t.Errorf("%q, want %q", out.String(), want)
			}
		}
	}
}

// TestFormulas: no cell begins like a formula, whatever a spreadsheet takes for the separator.
func TestFormulas(t *testing.T) {
	for _, text := range hostile {
		for _, texts := range [][]string{{text, ""}, {"a", text}, {text, text}} {
			record := map[string]any{"a": texts[0], "o": map[string]any{"b": texts[1], "c": nil}, "l": texts, "j": map[string]any{texts[0]: texts}}
			value, err := wire.Index(encode(t, record, "a", "o", "l", "j"))
			if err != nil {
				t.Fatal(err)
			}
			for _, dialect := range dialects {
				var out bytes.Buffer
				CSV{NoHeader: true, Dialect: dialect}.Record(&out, columns(), value, nil)
				wantNoFormula(t, out.String())
			}
		}
	}
}
