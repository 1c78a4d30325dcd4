package pix

import "errors"

const cpfBase, cpfLen = 9, 11

// NewCPF appends the two check digits to the nine digits of base. It refuses
// any other base, and nine equal digits: those CPFs are never issued, though
// their check digits hold.
func NewCPF(base string) (string, error) {
	if len(base) != cpfBase || !allDigits(base) || allEqual(base) {
		return "", errors.New("pix: a CPF is made of nine digits, not all equal")
	}
	b := make([]byte, cpfBase, cpfLen)
	copy(b, base)
	b = append(b, cpfDigit(b))
	b = append(b, cpfDigit(b))
	return string(b), nil
}

func validCPF(s string) bool {
	return len(s) == cpfLen && allDigits(s) && !allEqual(s) &&
		s[9] == cpfDigit(s[:9]) && s[10] == cpfDigit(s[:10])
}

// cpfDigit is the check digit that follows the digits of s: weights 2, 3, …
// from the right, modulo 11.
func cpfDigit[T string | []byte](s T) byte {
	sum := 0
	for i := range len(s) {
		sum += int(s[i]-'0') * (len(s) + 1 - i)
	}
	return checkDigit(sum)
}

// checkDigit is the digit that CPF and CNPJ share: 11 less the remainder,
// where 10 and 11 become 0.
func checkDigit(sum int) byte {
	if r := sum % 11; r >= 2 {
		return byte('0' + 11 - r)
	}
	return '0'
}

func allDigits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return true
}

func allEqual(s string) bool {
	for i := range len(s) {
		if s[i] != s[0] {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
