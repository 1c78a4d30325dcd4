package pix

import (
	"errors"
	"time"
	"unicode/utf8"
)

// The form of a payment's identifier in the settlement system: its kind, the ISPB of the bank that created it, a minute
// in UTC and a sequence.
const (
	paymentKind, refundKind = 'E', 'D'
	ispbLen                 = 8
	minuteLayout            = "200601021504"
	sequenceLen             = 11
	endToEndLen             = 1 + ispbLen + len(minuteLayout) + sequenceLen
)

// EndToEndID builds the EndToEndId of a payment: E, the eight digits of the payer's ISPB, the minute in UTC and a
// sequence of eleven ASCII letters or digits, 32 characters in all.
func EndToEndID(ispb string, at time.Time, sequence string) (string, error) {
	return endToEnd(paymentKind, ispb, at, sequence)
}

// RefundID builds the identifier of a refund. It is the same except for the D in front, and has the ISPB of the bank
// that returns the money.
func RefundID(ispb string, at time.Time, sequence string) (string, error) {
	return endToEnd(refundKind, ispb, at, sequence)
}

func endToEnd(kind byte, ispb string, at time.Time, sequence string) (string, error) {
	id := string(kind) + ispb + at.UTC().Format(minuteLayout) + sequence
	if len(ispb) != ispbLen || len(ParseEndToEndID(id).Problems) > 0 {
		return "", errors.New("pix: an EndToEndId needs an ISPB of 8 digits, a year of 4 and a sequence of 11 letters or digits")
	}
	return id, nil
}

func validMinute(s string) bool {
	at, err := time.Parse(minuteLayout, s)
	return err == nil && at.Year() > 0
}

// number is the value of a few digits.
func number(digits string) (n int) {
	for i := range len(digits) {
		n = n*10 + int(digits[i]-'0')
	}
	return n
}

// EndToEndKind is the kind of an EndToEndId.
type EndToEndKind string

// The kinds.
const (
	Payment EndToEndKind = "PAYMENT" // E
	Refund  EndToEndKind = "REFUND"  // D
)

// MaxEndToEnd is the maximum length in bytes of a text that is read as an EndToEndId: the longest that spec 4.2
// accepts.
const MaxEndToEnd = 255

// EndToEndText is what the text of an EndToEndId says. A part that is absent or invalid is empty.
type EndToEndText struct {
	Kind     EndToEndKind `json:"kind,omitempty"`
	ISPB     string       `json:"ispb,omitempty"`     // of the bank that created the id
	Minute   string       `json:"minute,omitempty"`   // when it was created: UTC, RFC 3339
	Sequence string       `json:"sequence,omitempty"` // of the bank
	Problems []Problem    `json:"problems"`           // never nil
}

// ParseEndToEndID reads the text of an EndToEndId, of a payment or a refund, in linear time. It is stricter than the
// filters of spec 4.2, which accept any text of 8 to 255 characters. A valid one has no problems. The fields of
// problems are kind, ispb, minute and sequence. A text of a wrong length has no sequence.
func ParseEndToEndID(text string) EndToEndText {
	p := problems{}
	if len(text) > MaxEndToEnd {
		p.add(TooLong, "")
		return EndToEndText{Problems: p}
	}
	s := p.trimmed(text)
	if s == "" {
		return EndToEndText{Problems: p}
	}
	complete := utf8.RuneCountInString(s) == endToEndLen
	if !complete {
		p.add(WrongLength, "")
	}
	rest := s
	// next takes the next part of a number of characters. It returns "" if the text ends before it, or if it is not
	// valid.
	next := func(name string, characters int, valid func(string) bool) string {
		size, has := cut(rest, characters)
		if !has {
			rest = ""
			return ""
		}
		part := rest[:size]
		rest = rest[size:]
		if !valid(part) {
			p.add(Invalid, name)
			return ""
		}
		return part
	}
	var id EndToEndText
	switch next("kind", 1, func(s string) bool { return s[0] == paymentKind || s[0] == refundKind }) {
	case string(paymentKind):
		id.Kind = Payment
	case string(refundKind):
		id.Kind = Refund
	}
	id.ISPB = next("ispb", ispbLen, allDigits)
	if m := next("minute", len(minuteLayout), validMinute); m != "" {
		id.Minute = m[:4] + "-" + m[4:6] + "-" + m[6:8] + "T" + m[8:10] + ":" + m[10:] + ":00Z"
	}
	if complete {
		id.Sequence = next("sequence", sequenceLen, alphanumeric)
	}
	id.Problems = p
	return id
}
