package download

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/upstream/wire"
)

// CSV is the format of RFC 4180. Null is an empty cell, and an empty text is a quoted one.
type CSV struct {
	BOM      bool // begins with a byte order mark, by which Excel recognizes UTF-8
	NoHeader bool
	Ended    bool     // ends with the last line of NDJSON, for clients that remove it
	Dialect  *Dialect // nil for that of RFC 4180
}

func (f CSV) dialect() *Dialect { return cmp.Or(f.Dialect, exact) }

// ContentType implements Format.
func (f CSV) ContentType() string {
	header := "present"
	if f.NoHeader {
		header = "absent"
	}
	end := ""
	if f.Ended {
		end = "; end=1"
	}
	return "text/csv; charset=utf-8; header=" + header + f.dialect().parameter + end
}

// Extension implements Format.
func (f CSV) Extension() string { return "csv" }

// Begin implements Format.
func (f CSV) Begin(to *bytes.Buffer, t *Table) {
	if f.BOM {
		to.WriteString("\ufeff")
	}
	if f.NoHeader {
		return
	}
	for i, name := range t.Header() {
		if i > 0 {
			to.WriteByte(f.dialect().separator)
		}
		f.dialect().text(to, []byte(name))
	}
	to.WriteString("\r\n")
}

// Record implements Format.
func (f CSV) Record(to *bytes.Buffer, t *Table, record wire.Value, errs []ast.Path) {
	start, first, d := to.Len(), true, f.dialect()
	t.columns.visit(record, errs, func(of *field, value wire.Value, unknown bool) {
		if !first {
			to.WriteByte(d.separator)
		}
		first = false
		switch null := !value.Exists() || value.IsNull(); {
		case !null:
			before := to.Len()
			d.cell(to, of, value)
			d.cut(to, before)
		case unknown:
			to.WriteString(d.notAvailable)
		}
	})
	if to.Len() == start { // a reader would skip an empty line
		to.WriteString(`""`)
	}
	to.WriteString("\r\n")
}

// End implements Format. RFC 4180 has no place for it; the trailer of the response has. The line of Ended is no row: a
// quote behind the first character of a line is doubled, or ends the cell.
func (f CSV) End(to *bytes.Buffer, end End) (said bool) { return f.Ended && Lines{}.End(to, end) }

// cell appends the cell of a value that is not null: a text, or any other value as JSON, unless the dialect has a form
// of its own.
func (d *Dialect) cell(to *bytes.Buffer, of *field, value wire.Value) {
	if write := d.write[of.unit]; write != nil && of.form == formScalar {
		text := value.Bytes()
		if value.Kind() == '"' {
			text = textOf(value)
		}
		if cell, ok := write(string(text)); ok {
			to.WriteString(cell)
			return
		}
	}
	switch {
	case of.form == formTexts && value.Kind() == '[':
		d.text(to, joined(value))
	case of.form == formScalar && value.Kind() == '"':
		d.text(to, textOf(value))
	case of.form == formJSON && d.changes != nil && fitsLiteral(value.Bytes()) && d.changes(string(value.Bytes())):
		literal(to, value.Bytes())
	default:
		d.json(to, value.Bytes())
	}
}

// listSeparator is between the elements of a list of scalars.
const listSeparator = "; "

func joined(list wire.Value) (all []byte) {
	elements, _ := list.Elements() // the response has at most as many as the API's list
	for i := 0; elements.Next(); i++ {
		if i > 0 {
			all = append(all, listSeparator...)
		}
		switch element := elements.Value(); {
		case element.Kind() == '"':
			all = append(all, textOf(element)...)
		case !element.IsNull():
			all = append(all, element.Bytes()...)
		}
	}
	return all
}

// A spreadsheet evaluates a cell that begins with a character of formulas, also after characters that it does not show,
// and in full width.
const formulas = "=+-@\uff1d\uff0b\uff0d\uff20"

// cellStart tells for the characters of a text, one after the other, whether a spreadsheet would evaluate what begins
// with them.
type cellStart bool

func (begins *cellStart) evaluates(c rune, splits string) bool {
	switch {
	case strings.ContainsRune(splits, c):
		*begins = true
	case bool(*begins) && strings.ContainsRune(formulas, c):
		*begins = false
		return true
	case c != '"' && !unicode.IsSpace(c) && !unicode.In(c, unicode.Cc, unicode.Cf): // a quote could be that of a cell
		*begins = false
	}
	return false
}

// isPlain reports whether a text, which is not empty, needs neither quotes nor an apostrophe.
func (d *Dialect) isPlain(text []byte) bool {
	first, _ := utf8.DecodeRune(text)
	begins := cellStart(true)
	return !begins.evaluates(first, d.splits) && !bool(begins) && text[len(text)-1] != ' ' && !bytes.ContainsAny(text, special) &&
		!bytes.HasPrefix(text, sylk) && !isDirective(text)
}

// sylk begins a file that Excel takes for another format (SYLK), unless it is in quotes.
var sylk = []byte("ID")

// isDirective reports whether Excel would take a text, where it begins a file, for the choice of another separator.
func isDirective(text []byte) bool {
	const directive = "sep="
	return len(text) >= len(directive) && strings.EqualFold(string(text[:len(directive)]), directive)
}

// isPhone reports whether a text is a plus sign and 2 to 15 digits, as Pix keys of phones are (ITU-T E.164). As a
// formula it would be the same number.
func isPhone(text []byte) bool {
	digits, found := bytes.CutPrefix(text, []byte("+"))
	isOther := func(c rune) bool { return c < '0' || c > '9' }
	return found && len(digits) >= 2 && len(digits) <= 15 && !bytes.ContainsFunc(digits, isOther)
}

// text appends a cell with a text. What a spreadsheet would evaluate as a formula gets an apostrophe before it.
func (d *Dialect) text(to *bytes.Buffer, text []byte) {
	changes := d.changes != nil && d.changes(string(text))
	switch {
	case len(text) == 0:
		to.WriteString(`""`)
		return
	case changes && fitsLiteral(text):
		literal(to, text)
		return
	case !changes && (d.isPlain(text) || d.changes == nil && isPhone(text)):
		to.Write(text)
		return
	}
	to.WriteByte('"')
	if changes || text[0] < ' ' || isDirective(text) {
		to.WriteByte('\'')
	}
	begins := cellStart(true)
	for _, c := range string(text) {
		switch {
		case begins.evaluates(c, d.splits):
			to.WriteByte('\'')
		case c == '"':
			to.WriteByte('"')
		}
		to.WriteRune(c)
	}
	to.WriteByte('"')
}

// json appends a cell with a JSON value. In its strings, an escape replaces the character that would begin a formula; a
// number may begin a cell. Line breaks and tabs between its values become spaces.
func (d *Dialect) json(to *bytes.Buffer, value []byte) {
	if !bytes.ContainsAny(value, special) {
		to.Write(value)
		return
	}
	to.WriteByte('"')
	begins, inString, escaped := cellStart(false), false, false
	for _, c := range string(value) {
		evaluated := begins.evaluates(c, d.splits)
		switch {
		case c < ' ':
			c = ' '
		case evaluated && inString:
			_, _ = fmt.Fprintf(to, `\u%04x`, c)
			continue
		case c == '"':
			to.WriteByte('"')
			inString = inString == escaped
		}
		escaped = c == '\\' && !escaped
		to.WriteRune(c)
	}
	to.WriteByte('"')
}
