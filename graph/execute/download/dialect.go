package download

import (
	"bytes"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Dialect is what programs that read CSV expect to be different.
type Dialect struct {
	parameter string // of the media type, after a semicolon
	separator byte   // between cells
	// splits are the characters after which a program begins a cell although they are in quotes, for a formula to be
	// evaluated there.
	splits string
	// notAvailable is the cell of a value that cannot be read. Spreadsheets take it for an error, and so do sums of the
	// column.
	notAvailable string
	// write has, by unit, how values are written in another form than JSON; ok is false for a value without that form.
	write [units]func(text string) (cell string, ok bool)
	// changes reports whether the program takes a text for another value, such as a number. Such a text is a formula,
	// or gets an apostrophe before it if it cannot be one. nil for a program that takes no text for another value.
	changes func(text string) bool
	// maxCell is the number of characters that the program reads of a cell; 0 for no limit. cutMark ends a cell that
	// would have more. It is ASCII and begins no formula.
	maxCell int
	cutMark string
}

// special are the characters for which a cell has quotes. RFC 4180 needs them for fewer.
const special = ";\t\r\n,\""

// exact is the dialect of RFC 4180, whose cells have the values of the response. Where the separator of lists is a
// semicolon, as in Brazil, Excel splits a line at semicolons, tabs and line breaks although they are in quotes.
var exact = &Dialect{separator: ',', splits: ";\t\r\n", notAvailable: "#N/A"}

// portugueseSplits has the comma for Excel in other languages, which opens the same file.
const portugueseSplits = ";,\t\r\n"

// Portuguese is the dialect of Excel in Portuguese: a semicolon between cells, amounts in reais with a decimal comma,
// dates of Brazil, and texts that stay texts.
var Portuguese = &Dialect{
	parameter: "; locale=pt-BR", separator: ';', splits: portugueseSplits, notAvailable: "#N/D", changes: excelChanges,
	write: [units]func(string) (string, bool){unitCents: reais, unitNumber: decimalComma, unitTime: brazilianTime, unitDay: brazilianDay},
	// Excel continues a longer cell in the rows below.
	maxCell: 32767, cutMark: " ... (cortado pelo limite do Excel)",
}

// maxLiteral is the number of characters that a text in a formula may have.
const maxLiteral = 255

// fitsLiteral reports whether a text can be one in a formula.
func fitsLiteral(text []byte) bool {
	return len(text) <= maxLiteral && !bytes.ContainsFunc(text, unicode.IsControl)
}

// literal appends a cell with a formula whose value is a text. For the text, changes is true: it has no
// character that ends a cell, a formula or its quotes.
func literal(to *bytes.Buffer, text []byte) {
	to.WriteString(`"=""`)
	to.Write(text)
	to.WriteString(`"""`)
}

// cut ends the cell that begins at a position with a mark, where the program reads no further.
func (d *Dialect) cut(to *bytes.Buffer, start int) {
	if d.maxCell == 0 || to.Len()-start <= d.maxCell {
		return
	}
	cell, quote := to.Bytes()[start:], 0
	if cell[0] == '"' {
		cell, quote = cell[1:len(cell)-1], 1
	}
	fits, units := 0, 0 // the bytes before the mark, and characters: Excel counts units of UTF-16
	for at := 0; at < len(cell); {
		if units <= d.maxCell-len(d.cutMark) {
			fits = at
		}
		c, size := utf8.DecodeRune(cell[at:])
		if at += size; c == '"' {
			at++ // two quotes are one
		}
		units += utf16.RuneLen(c)
	}
	if units <= d.maxCell {
		return
	}
	mark := d.cutMark + `"`
	to.Truncate(start + quote + fits)
	to.WriteString(mark[:len(d.cutMark)+quote])
}
