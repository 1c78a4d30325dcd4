package pix

import "errors"

const cpfBase, cpfLen = 9, 11

// NewCPF appends the two check digits to the nine digits of base. Any other base is an error. So are nine equal digits:
// such CPFs are never issued, although their check digits are valid.
func NewCPF(base string) (string, error) {
	if len(base) != cpfBase || !allDigits(base) || allEqual(base) {
		return "", errors.New("pix: the base of a CPF must be nine digits, not all equal")
	}
	base += string(cpfDigit(base))
	return base + string(cpfDigit(base)), nil
}

func validCPF(s string) bool {
	return len(s) == cpfLen && allDigits(s) && !allEqual(s) &&
		s[9] == cpfDigit(s[:9]) && s[10] == cpfDigit(s[:10])
}

// cpfDigit is the check digit of s: weights 2, 3, … from the right, modulo 11.
func cpfDigit(s string) byte {
	sum := 0
	for i := range len(s) {
		sum += int(s[i]-'0') * (len(s) + 1 - i)
	}
	return checkDigit(sum)
}

// checkDigit is the check digit for a weighted sum, the same for CPF and CNPJ: 11 less the remainder, with 0 for 10 and
// 11.
func checkDigit(sum int) byte {
	if r := sum % 11; r >= 2 {
		return byte('0' + 11 - r)
	}
	return '0'
}

// all reports whether each byte of a text is of a kind.
func all(s string, is func(byte) bool) bool {
	for i := range len(s) {
		if !is(s[i]) {
			return false
		}
	}
	return true
}

func allDigits(s string) bool { return all(s, isDigit) }

func allEqual(s string) bool {
	return all(s, func(c byte) bool { return c == s[0] })
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

func isLetter(c byte) bool { return isLower(c) || isUpper(c) }

func isHexadecimal(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
