package settings

import "regexp"

// Secret is a value that is never shown or logged.
type Secret string

// hidden is shown instead of a secret that is set.
const hidden = "***"

// String implements fmt.Stringer.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return hidden
}

// GoString implements fmt.GoStringer.
func (s Secret) GoString() string { return s.String() }

// secretForm is a segment of a path that needs no escapes.
var secretForm = regexp.MustCompile(`^[A-Za-z0-9._~-]{16,256}$`)

func secret() kind[Secret] {
	return kind[Secret]{
		word: "secret", accepts: "16 to 256 letters, digits, or any of -._~", format: Secret.String,
		parse: func(text string) (Secret, error) {
			if !secretForm.MatchString(text) {
				return "", errValue
			}
			return Secret(text), nil
		},
	}
}
