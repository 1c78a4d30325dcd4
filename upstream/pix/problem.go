package pix

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ProblemCode says what is wrong with a text.
type ProblemCode string

// The problems of texts. A field of a [Problem] says which part of the text has it.
const (
	Empty         ProblemCode = "EMPTY"
	TooLong       ProblemCode = "TOO_LONG"        // not read
	WhiteSpace    ProblemCode = "WHITE_SPACE"     // before or after the text, or invisible in it; ignored
	Characters    ProblemCode = "CHARACTERS"      // not printable ASCII
	WrongLength   ProblemCode = "WRONG_LENGTH"    // a value is empty or incomplete, or an EndToEndId does not have 32 characters
	LengthInBytes ProblemCode = "LENGTH_IN_BYTES" // the lengths count bytes of UTF-8, not characters
	Invalid       ProblemCode = "INVALID"         // not a value that is allowed here
	Malformed     ProblemCode = "MALFORMED"       // an id and a length are not four digits
	Missing       ProblemCode = "MISSING"         // a required field
	Duplicate     ProblemCode = "DUPLICATE"       // the first one counts
	Misplaced     ProblemCode = "MISPLACED"       // the format indicator is not the first field
	NotPix        ProblemCode = "NOT_PIX"         // no account of Pix
	KeyAndURL     ProblemCode = "KEY_AND_URL"     // neither static nor dynamic
	NoKeyOrURL    ProblemCode = "NO_KEY_OR_URL"   // neither static nor dynamic, nor for recurring payments
	WrongCRC      ProblemCode = "WRONG_CRC"
	TrailingText  ProblemCode = "TRAILING_TEXT" // after the CRC
	NotNormal     ProblemCode = "NOT_NORMAL"    // a key in another form than DICT's
	CountryCode   ProblemCode = "COUNTRY_CODE"  // a phone number without one
	AreaCode      ProblemCode = "AREA_CODE"     // a phone number of Brazil without a valid one
	Ambiguous     ProblemCode = "AMBIGUOUS"     // a CPF that could be a mobile phone number
	Masked        ProblemCode = "MASKED"
	CheckDigits   ProblemCode = "CHECK_DIGITS" // wrong, or a CPF of equal digits, or a CNPJ of zeros
	UnknownForm   ProblemCode = "UNKNOWN_FORM" // no key
)

// ProblemCodes are all codes.
func ProblemCodes() []ProblemCode {
	return []ProblemCode{
		Empty, TooLong, WhiteSpace, Characters, WrongLength, LengthInBytes, Invalid, Malformed, Missing, Duplicate, Misplaced, NotPix,
		KeyAndURL, NoKeyOrURL, WrongCRC, TrailingText, NotNormal, CountryCode, AreaCode, Ambiguous, Masked, CheckDigits, UnknownForm,
	}
}

// Problem is one problem of a text.
type Problem struct {
	Code  ProblemCode `json:"code"`
	Field string      `json:"field,omitempty"` // the part of the text: ids such as 26.01, or the name of a part; "" for all
}

// maxProblems bounds the problems of one text. Further ones are dropped.
const maxProblems = 32

// problems collects the problems of one text, each once.
type problems []Problem

func (p *problems) add(code ProblemCode, field string) {
	problem := Problem{code, field}
	if len(*p) < maxProblems && !slices.Contains(*p, problem) {
		*p = append(*p, problem)
	}
}

// trimmed returns the text without the white space around it and what is invisible in it, which is a problem.
func (p *problems) trimmed(text string) string {
	trimmed := visible(text)
	switch {
	case trimmed == "":
		p.add(Empty, "")
	case trimmed != text:
		p.add(WhiteSpace, "")
	}
	return trimmed
}

// visible returns a text without white space around it and what programs put into it when it is copied: characters of
// format, such as U+200B and U+FEFF, and line breaks.
func visible(text string) string {
	text = strings.TrimFunc(text, blank)
	if !utf8.ValidString(text) {
		return text // as it is: Map would replace bytes
	}
	return strings.Map(func(c rune) rune {
		if strings.ContainsRune("\r\n\u0085\u2028\u2029", c) || unicode.Is(unicode.Cf, c) {
			return -1
		}
		return c
	}, text)
}

// blank reports whether a character is white space or one of format.
func blank(c rune) bool { return unicode.IsSpace(c) || unicode.Is(unicode.Cf, c) }
