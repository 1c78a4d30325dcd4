package contract_test

import (
	"errors"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// formats are the custom formats of the document. They are written from its description, without package pix, which the
// sandbox and the client use.
var formats = map[string]func(string) bool{
	"cpf":  func(s string) bool { return validCheckDigits(s, 9, 10, 11) },
	"cnpj": func(s string) bool { return validCheckDigits(s, 12, 5, 6) },
}

// validCheckDigits reports whether the last two characters are the check digits of the first base ones, which must not
// be all equal. For each check digit, the weights begin at the given one and count down to 2, and then from 9.
func validCheckDigits(s string, base int, weights ...int) bool {
	if len(s) != base+len(weights) || strings.Count(s[:base], s[:1]) == base {
		return false
	}
	for i, weight := range weights {
		sum := 0
		for _, c := range s[:base+i] {
			sum += int(c-'0') * weight
			if weight--; weight < 2 {
				weight = 9
			}
		}
		digit := 11 - sum%11
		if digit > 9 {
			digit = 0
		}
		if int(s[base+i]-'0') != digit {
			return false
		}
	}
	return true
}

var errFormat = errors.New("is not of the format")

func asserting(valid func(string) bool) func(any) error {
	return func(value any) error {
		if s, ok := value.(string); ok && !valid(s) {
			return errFormat
		}
		return nil
	}
}

// formatOptions returns the formats for kin-openapi.
func formatOptions() []openapi3.SchemaValidationOption {
	var options []openapi3.SchemaValidationOption
	for name, valid := range formats {
		options = append(options, openapi3.WithStringFormatValidator(name, openapi3.NewCallbackValidator(func(s string) error {
			return asserting(valid)(s)
		})))
	}
	return options
}
