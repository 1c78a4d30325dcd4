package pix

import "strings"

// DICT's limits for keys that are contact data.
const (
	maxEmail      = 77
	maxLabel      = 63 // one part of a domain name
	minPhone      = 3  // a plus and two digits
	maxPhone      = 16 // a plus and the fifteen digits of E.164
	emailSpecials = ".!#$%&'*+/=?^_`{|}~-"
)

// validPhone implements DICT's pattern: a plus and 2 to 15 digits, the first of them not zero. DICT accepts any
// country.
func validPhone(s string) bool {
	return len(s) >= minPhone && len(s) <= maxPhone &&
		s[0] == '+' && s[1] != '0' && allDigits(s[1:])
}

// validEmail implements HTML's pattern (input type=email) with DICT's maximum length. DICT's own pattern accepts
// neither upper case nor "%", but an API may have keys with them. It does not check that the domain exists or has a
// dot.
func validEmail(s string) bool {
	if len(s) > maxEmail {
		return false
	}
	local, domain, ok := strings.Cut(s, "@")
	if !ok || local == "" {
		return false
	}
	if !all(local, func(c byte) bool { return isLetter(c) || isDigit(c) || strings.IndexByte(emailSpecials, c) >= 0 }) {
		return false
	}
	for more := true; more; {
		var label string
		if label, domain, more = strings.Cut(domain, "."); !validLabel(label) {
			return false
		}
	}
	return true
}

func validLabel(s string) bool {
	return s != "" && len(s) <= maxLabel && s[0] != '-' && s[len(s)-1] != '-' &&
		all(s, func(c byte) bool { return isLetter(c) || isDigit(c) || c == '-' })
}
