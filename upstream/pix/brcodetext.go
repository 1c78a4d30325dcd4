package pix

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxBRCode is the maximum length of a BR Code in bytes: twice the 512 characters that EMV allows. Longer texts are not
// read.
const MaxBRCode = 1024

// BRCodeKind is the kind of a BR Code.
type BRCodeKind string

// The kinds. A text that has neither a key nor a URL, or both, has no kind.
const (
	Static  BRCodeKind = "STATIC"
	Dynamic BRCodeKind = "DYNAMIC"
)

// CRCResult is the result of the check of a BR Code's CRC.
type CRCResult string

// The results.
const (
	CRCCorrect CRCResult = "CORRECT"
	CRCWrong   CRCResult = "WRONG"
	CRCMissing CRCResult = "MISSING"
)

// BRCodeText is what the text of a BR Code says. A field that is absent or cannot be read is empty. Its JSON, as that
// of the other results of parsers, has the members of the type in the schema.
type BRCodeText struct {
	BRCode
	Kind BRCodeKind `json:"kind,omitempty"`
	// RecurrenceURL is the address of recurring payments that the payer can authorize (Pix Automático), without a
	// scheme.
	RecurrenceURL string    `json:"recurrenceUrl,omitempty"`
	HasAmount     bool      `json:"-"`                          // whether Cents is an amount of the text
	CategoryCode  string    `json:"merchantCategory,omitempty"` // ISO 18245: four digits
	Currency      string    `json:"currency,omitempty"`         // ISO 4217 numeric: 986
	Country       string    `json:"country,omitempty"`          // ISO 3166: BR
	PostalCode    string    `json:"postalCode,omitempty"`
	CRC           CRCResult `json:"crc"`
	Problems      []Problem `json:"problems"` // never nil
}

// ParseBRCode reads the text of a BR Code in linear time. It returns what the text says in spite of its problems: a
// valid code has none. Lengths count characters, and the line breaks of a copied text are no part of it. If that does
// not lead to a right CRC, but lengths in bytes do, or spaces instead of line breaks, the text is read so. Fields that
// BRCodeText does not have are ignored if their structure is valid.
func ParseBRCode(text string) BRCodeText {
	found, joined := problems{}, ""
	if len(text) > MaxBRCode {
		found.add(TooLong, "")
	} else {
		joined = found.trimmed(text)
	}
	if joined == "" {
		return BRCodeText{CRC: CRCMissing, Problems: found}
	}
	code, right := parseBRCode(text, joined, false)
	if right || printable(text) {
		return code
	}
	for _, part := range []string{joined, visible(lineBreaks.Replace(text)), strings.TrimFunc(text, blank)} {
		for inBytes, cut := range []cutter{cut, cutBytes} {
			if !checked(part, cut) {
				continue
			}
			if other, right := parseBRCode(text, part, inBytes == 1); right {
				return other
			}
		}
	}
	return code
}

// checked reports whether the fields of a text lead to its CRC, and that is right. To find out takes much less time
// than to read the text.
func checked(text string, cut cutter) bool {
	for at := 0; at+4 <= len(text) && allDigits(text[at:at+4]); {
		id, from, length := number(text[at:at+2]), at+4, number(text[at+2:at+4])
		if wide(id, length, text[from:]) {
			from, length = from+1, length*10+number(text[from:from+1])
		}
		size, complete := cut(text[from:], length)
		at = from + size
		switch {
		case !complete:
			return false
		case id == 63:
			return size == 4 && isCRC(text[from:at], text[:from])
		}
	}
	return false
}

// lineBreaks puts a space for each line break.
var lineBreaks = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\u0085", " ", "\u2028", " ", "\u2029", " ")

// parseBRCode reads the part of a text that is a BR Code, with lengths in characters or in bytes. right says whether it
// was read to its end, with a correct CRC.
func parseBRCode(text, part string, inBytes bool) (code BRCodeText, right bool) {
	r := brCodeReader{cut: cut, problems: problems{}, whole: part, values: make(map[string]string)}
	if inBytes {
		r.cut = cutBytes
		r.add(LengthInBytes, "")
	}
	if part != text {
		r.add(WhiteSpace, "")
	}
	r.read(part, "")
	code.CRC = CRCMissing
	r.account(&code)
	r.payment(&code)
	r.crc(&code)
	code.Problems = r.problems
	return code, len(r.broken) == 0 && code.CRC == CRCCorrect
}

// account reads the Pix account, the first one if there are several.
func (r *brCodeReader) account(code *BRCodeText) {
	if len(r.further) > 0 {
		code.RecurrenceURL = r.url(r.further[0])
	}
	if len(r.accounts) == 0 {
		if !slices.ContainsFunc(r.broken, func(path string) bool { return path < "52" }) { // the text or an account
			r.add(NotPix, "")
		}
		return
	}
	for _, further := range r.accounts[1:] {
		r.add(Duplicate, further)
	}
	at := r.accounts[0]
	code.Key, code.Description, code.URL = r.values[at+".01"], r.values[at+".02"], r.url(at)
	if code.Key != "" && ParseKey(code.Key).Normal != code.Key {
		r.add(Invalid, at+".01")
	}
	if code.URL != "" && code.Description != "" {
		r.add(Invalid, at+".02")
	}
	if ispb := r.values[at+".03"]; ispb != "" {
		if r.cash = code.URL == "" && len(ispb) == ispbLen && allDigits(ispb); !r.cash {
			r.add(Invalid, at+".03")
		}
	}
	switch {
	case code.Key != "" && code.URL != "":
		r.add(KeyAndURL, at)
	case code.Key != "":
		code.Kind = Static
	case code.URL != "":
		code.Kind = Dynamic
	case code.RecurrenceURL == "" && r.complete(at) && !slices.ContainsFunc(r.broken, unreserved):
		r.add(NoKeyOrURL, at)
	}
}

// url returns the URL of a template of Pix.
func (r *brCodeReader) url(template string) string {
	url := r.values[template+".25"]
	if strings.Contains(url, "://") {
		r.add(Invalid, template+".25")
	}
	return url
}

// unreserved reports whether a template is one of those for any arrangement.
func unreserved(template string) bool { return template >= "80" }

// payment reads the other fields, in the order of their ids.
func (r *brCodeReader) payment(code *BRCodeText) {
	if r.values["00"] != "" && !strings.HasPrefix(r.whole, "00") {
		r.add(Misplaced, "00")
	}
	code.OneTime = r.values["01"] == "12"
	for _, f := range []struct {
		in, id   string // the template, or "", and the path
		required bool
		to       *string // nil for a field that the result does not have
		valid    func(string) bool
	}{
		{"", "00", true, nil, func(s string) bool { return s == "01" }},
		{"", "01", false, nil, func(s string) bool { return s == "11" || s == "12" }},
		{"", "52", true, &code.CategoryCode, func(s string) bool { return len(s) == 4 && allDigits(s) }},
		{"", "53", true, &code.Currency, func(s string) bool { return s == currencyBRL }},
		{"", "54", false, nil, func(s string) bool { return code.amount(s) && (code.Cents > 0 || r.cash) }},
		{"", "58", true, &code.Country, func(s string) bool { return s == countryBR }},
		{"", "59", true, &code.Name, atMost(maxName)},
		{"", "60", true, &code.City, atMost(maxCity)},
		{"", "61", false, &code.PostalCode, atMost(maxPostalCode)},
		{"62", "62.05", true, &code.TxID, func(s string) bool {
			return s == noTxID || code.Kind == Dynamic || // banks ignore it there
				len(s) <= maxTxID && alphanumeric(s)
		}},
	} {
		value, has := r.values[f.id]
		switch {
		case !has && f.required && r.complete(f.in):
			r.add(Missing, f.id)
		case has && !f.valid(value):
			r.add(Invalid, f.id)
		}
		if f.to != nil {
			*f.to = value
		}
	}
	if code.TxID == noTxID {
		code.TxID = ""
	}
}

func atMost(characters int) func(string) bool {
	return func(s string) bool { return utf8.RuneCountInString(s) <= characters }
}

// amount reads an amount in reais, such as 12, 12. or 12.34, to the cent.
func (c *BRCodeText) amount(s string) bool {
	whole, part, _ := strings.Cut(s, ".")
	if len(s) > maxAmount || whole == "" || len(part) > 2 || !allDigits(whole+part) {
		return false
	}
	c.Cents, _ = strconv.ParseInt(whole+part+"00"[len(part):], 10, 64)
	c.HasAmount = true
	return true
}

// crc compares the CRC with the text. If a field before the CRC cannot be read, the CRC is taken from the end of the
// text. Some generators leave out its leading zeros.
func (r *brCodeReader) crc(code *BRCodeText) {
	const head, digits = "6304", 4
	if at := strings.LastIndex(r.whole[:len(r.whole)-1], head); at >= 0 && r.before == "" && !r.complete("") {
		rest := r.whole[at+len(head):]
		if utf8.RuneCountInString(rest) == digits || isCRC(rest, r.whole[:at+len(head)]) {
			r.before, r.values["63"] = r.whole[:at+len(head)], rest
		}
	}
	value, has := r.values["63"]
	switch {
	case !has && r.complete(""):
		r.add(Missing, "63")
	case !has:
	case !isCRC(value, r.before) || len(value) != digits && r.complete(""):
		code.CRC = CRCWrong
		r.add(WrongCRC, "63")
	default:
		code.CRC = CRCCorrect
	}
}

// isCRC reports whether hexadecimal digits are the CRC of a text, in UTF-8 or, as some generators compute it, in ISO
// 8859-1.
func isCRC(value, of string) bool {
	crc, err := strconv.ParseUint(value, 16, 16)
	return err == nil && len(value) <= 4 && (uint16(crc) == crc16(of) || uint16(crc) == crc16(latin1(of)))
}

// latin1 returns a text in ISO 8859-1, or as it is if it has other characters.
func latin1(text string) string {
	bytes := make([]byte, 0, len(text))
	for _, c := range text {
		if c > 0xFF {
			return text
		}
		bytes = append(bytes, byte(c))
	}
	return string(bytes)
}
