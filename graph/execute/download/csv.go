package download

import (
	"bytes"
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
}

// ContentType implements Format.
func (f CSV) ContentType() string {
	if f.NoHeader {
		return "text/csv; charset=utf-8; header=absent"
	}
	return "text/csv; charset=utf-8; header=present"
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
			to.WriteByte(',')
		}
		to.WriteString(name)
	}
	to.WriteString("\r\n")
}

// notAvailable is the cell of a value that cannot be read. Spreadsheets take it for an error, and so do sums of the
// column.
const notAvailable = "#N/A"

// Record implements Format.
func (f CSV) Record(to *bytes.Buffer, t *Table, record wire.Value, errs []ast.Path) {
	start, first := to.Len(), true
	t.columns.visit(record, errs, func(form form, value wire.Value, unknown bool) {
		if !first {
			to.WriteByte(',')
		}
		first = false
		switch null := !value.Exists() || value.IsNull(); {
		case !null:
			appendCell(to, form, value)
		case unknown:
			to.WriteString(notAvailable)
		}
	})
	if to.Len() == start { // a reader would skip an empty line
		to.WriteString(`""`)
	}
	to.WriteString("\r\n")
}

// End implements Format. CSV has no place for it; the trailer of the response has.
func (f CSV) End(*bytes.Buffer, End) (said bool) { return false }

// appendCell appends the cell of a value that is not null: a text, or any other value as JSON.
func appendCell(to *bytes.Buffer, form form, value wire.Value) {
	switch {
	case form == formTexts && value.Kind() == '[':
		appendText(to, joined(value))
	case form == formScalar && value.Kind() == '"':
		appendText(to, textOf(value))
	default:
		appendJSON(to, value.Bytes())
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
// and in full width. Where the separator of lists is a semicolon, as in Brazil, it splits a line at semicolons, tabs
// and line breaks although they are in quotes. So what follows them begins a cell, too.
const (
	formulas = "=+-@\uff1d\uff0b\uff0d\uff20"
	splits   = ";\t\r\n"
	special  = splits + `,"` // need quotes; RFC 4180 needs them for fewer
)

// cellStart tells for the characters of a text, one after the other, whether a spreadsheet would evaluate what begins
// with them.
type cellStart bool

func (begins *cellStart) evaluates(c rune) bool {
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
func isPlain(text []byte) bool {
	first, _ := utf8.DecodeRune(text)
	begins := cellStart(true)
	return !begins.evaluates(first) && !bool(begins) && text[len(text)-1] != ' ' && !bytes.ContainsAny(text, special)
}

// appendText appends a cell with a text. What a spreadsheet would evaluate as a formula gets an apostrophe before it.
func appendText(to *bytes.Buffer, text []byte) {
	if len(text) == 0 {
		to.WriteString(`""`)
		return
	}
	if isPlain(text) {
		to.Write(text)
		return
	}
	to.WriteByte('"')
	if text[0] < ' ' {
		to.WriteByte('\'')
	}
	begins := cellStart(true)
	for _, c := range string(text) {
		switch {
		case begins.evaluates(c):
			to.WriteByte('\'')
		case c == '"':
			to.WriteByte('"')
		}
		to.WriteRune(c)
	}
	to.WriteByte('"')
}

// appendJSON appends a cell with a JSON value. In its strings, an escape replaces the character that would begin a
// formula. Line breaks and tabs between its values become spaces.
func appendJSON(to *bytes.Buffer, value []byte) {
	if !bytes.ContainsAny(value, special) {
		to.Write(value)
		return
	}
	to.WriteByte('"')
	begins := cellStart(false) // a number may begin the cell
	for _, c := range string(value) {
		switch {
		case c < ' ':
			c = ' '
		case begins.evaluates(c):
			_, _ = fmt.Fprintf(to, `\u%04x`, c)
			continue
		case c == '"':
			to.WriteByte('"')
		}
		to.WriteRune(c)
	}
	to.WriteByte('"')
}
