package download

import (
	"bytes"

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
func (f CSV) Begin(to *bytes.Buffer, l *List) {
	if f.BOM {
		to.WriteString("\ufeff")
	}
	if f.NoHeader {
		return
	}
	for i, name := range l.Header() {
		if i > 0 {
			to.WriteByte(',')
		}
		to.WriteString(name)
	}
	to.WriteString("\r\n")
}

// Record implements Format. A record that cannot be read is a row of empty cells.
func (f CSV) Record(to *bytes.Buffer, l *List, record wire.Value) {
	start, first := to.Len(), true
	l.columns.visit(record, func(form form, value wire.Value) {
		if !first {
			to.WriteByte(',')
		}
		first = false
		appendCell(to, form, value)
	})
	if to.Len() == start { // a reader would skip an empty line
		to.WriteString(`""`)
	}
	to.WriteString("\r\n")
}

// End implements Format. CSV has no place for it; the trailer of the response has.
func (f CSV) End(*bytes.Buffer, End) {}

// appendCell appends the cell of a value: a text, or any other value as JSON.
func appendCell(to *bytes.Buffer, form form, value wire.Value) {
	switch {
	case !value.Exists() || value.IsNull():
	case form == formTexts && value.Kind() == '[':
		appendText(to, joined(value))
	case form == formScalar && value.Kind() == '"':
		appendText(to, textOf(value))
	default:
		appendQuoted(to, value.Bytes())
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

// appendText appends a cell with a text. A text that a spreadsheet would evaluate as a formula gets an apostrophe before it.
func appendText(to *bytes.Buffer, text []byte) {
	if len(text) == 0 {
		to.WriteString(`""`)
		return
	}
	switch text[0] {
	case '=', '+', '-', '@', '\t', '\r', '\n':
		to.WriteByte('"')
		to.WriteByte('\'')
		appendEscaped(to, text)
		to.WriteByte('"')
	default:
		appendQuoted(to, text)
	}
}

// special are the characters of cells that are quoted. RFC 4180 needs quotes for the first four only; spreadsheets also split
// cells at the others.
const special = ",\"\r\n;\t"

func appendQuoted(to *bytes.Buffer, cell []byte) {
	if !bytes.ContainsAny(cell, special) && cell[0] != ' ' && cell[len(cell)-1] != ' ' {
		to.Write(cell)
		return
	}
	to.WriteByte('"')
	appendEscaped(to, cell)
	to.WriteByte('"')
}

func appendEscaped(to *bytes.Buffer, cell []byte) {
	for {
		i := bytes.IndexByte(cell, '"')
		if i < 0 {
			to.Write(cell)
			return
		}
		to.Write(cell[:i+1])
		to.WriteByte('"')
		cell = cell[i+1:]
	}
}
