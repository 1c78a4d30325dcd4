package pix

import "errors"

const cnpjBase, cnpjLen = 12, 14

// NewCNPJ appends the two check digits to the twelve characters of base: digits, or digits and upper-case letters, as
// the Receita Federal issues them from July 2026. Any other base, or twelve zeros, is an error.
func NewCNPJ(base string) (string, error) {
	if len(base) != cnpjBase || !cnpjAlphabet(base) || base == noCNPJ[:cnpjBase] {
		return "", errors.New("pix: the base of a CNPJ must be twelve digits or upper-case letters, not all zero")
	}
	base += string(cnpjDigit(base))
	return base + string(cnpjDigit(base)), nil
}

// noCNPJ has right check digits and is never issued. Other equal characters can be: 11.111.111/1111-80 has an owner.
const noCNPJ = "00000000000000"

func validCNPJ(s string) bool {
	return len(s) == cnpjLen && cnpjAlphabet(s[:cnpjBase]) && s != noCNPJ &&
		s[12] == cnpjDigit(s[:12]) && s[13] == cnpjDigit(s[:13])
}

// cnpjDigit is the check digit of s: each character counts as its ASCII code less 48, with weights 2 to 9 repeating
// from the right, modulo 11.
func cnpjDigit(s string) byte {
	sum := 0
	for i := range len(s) {
		sum += int(s[i]-'0') * (2 + (len(s)-1-i)%8)
	}
	return checkDigit(sum)
}

func cnpjAlphabet(s string) bool {
	return all(s, func(c byte) bool { return isDigit(c) || isUpper(c) })
}
