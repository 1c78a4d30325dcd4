package pix

import "strings"

const uuidLen = 36

// ValidUUID reports whether s has the form of a UUID: 8-4-4-4-12 hexadecimal digits in either case, of any version.
// Braces, "urn:uuid:" and the form without hyphens are invalid.
func ValidUUID(s string) bool {
	if len(s) != uuidLen {
		return false
	}
	for i := range len(s) {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return false
			}
		default:
			if !isHexadecimal(s[i]) {
				return false
			}
		}
	}
	return true
}

// ValidUUIDv4 reports whether s is a UUID of version 4 and of the variant of RFC 9562, in either case (spec 4.2, the id
// filter).
func ValidUUIDv4(s string) bool {
	return ValidUUID(s) && s[14] == '4' && strings.IndexByte("89abAB", s[19]) >= 0
}

// validEVP accepts a lower-case UUID of any version: DICT issues version 4, but its pattern does not require it, and
// the arrangement's own manual has an example of version 1.
func validEVP(s string) bool {
	return ValidUUID(s) && all(s, func(c byte) bool { return !isUpper(c) })
}
