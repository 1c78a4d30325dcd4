package pix

import (
	"errors"
	"time"
)

// The form of a payment's identifier in the settlement system: its kind, the
// ISPB of the bank that created it, a minute in UTC and a sequence.
const (
	paymentKind, refundKind = 'E', 'D'
	ispbLen                 = 8
	minuteLayout            = "200601021504"
	sequenceLen             = 11
	endToEndLen             = 1 + ispbLen + len(minuteLayout) + sequenceLen
)

// EndToEndID builds the EndToEndId of a payment: E, the eight digits of the
// payer's ISPB, the minute in UTC and a sequence of eleven ASCII letters or
// digits, 32 characters in all.
func EndToEndID(ispb string, at time.Time, sequence string) (string, error) {
	return endToEnd(paymentKind, ispb, at, sequence)
}

// RefundID builds the identifier of a refund. It is the same except for the D
// in front, and has the ISPB of the bank that returns the money.
func RefundID(ispb string, at time.Time, sequence string) (string, error) {
	return endToEnd(refundKind, ispb, at, sequence)
}

// ValidEndToEndID reports whether s has the form of an EndToEndId. It is
// stricter than the filters of spec 4.2, which accept any text of 8
// to 255 characters.
func ValidEndToEndID(s string) bool { return validEndToEnd(paymentKind, s) }

// ValidRefundID reports whether s has the form of a refund's identifier.
func ValidRefundID(s string) bool { return validEndToEnd(refundKind, s) }

func endToEnd(kind byte, ispb string, at time.Time, sequence string) (string, error) {
	id := string(kind) + ispb + at.UTC().Format(minuteLayout) + sequence
	if len(ispb) != ispbLen || !validEndToEnd(kind, id) {
		return "", errors.New("pix: an EndToEndId needs an ISPB of 8 digits, a year of 4 and a sequence of 11 letters or digits")
	}
	return id, nil
}

func validEndToEnd(kind byte, s string) bool {
	if len(s) != endToEndLen || s[0] != kind || !allDigits(s[1:1+ispbLen]) {
		return false
	}
	minute, sequence := s[1+ispbLen:endToEndLen-sequenceLen], s[endToEndLen-sequenceLen:]
	return validMinute(minute) && alphanumeric(sequence)
}

// validMinute replaces time.Parse, which allocates its error.
func validMinute(s string) bool {
	if !allDigits(s) {
		return false
	}
	number := func(from, to int) (n int) {
		for _, c := range []byte(s[from:to]) {
			n = n*10 + int(c-'0')
		}
		return n
	}
	year, month, day := number(0, 4), time.Month(number(4, 6)), number(6, 8)
	date := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	return year > 0 && date.Month() == month && date.Day() == day && number(8, 10) < 24 && number(10, 12) < 60
}
