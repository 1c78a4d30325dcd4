package upstream

import (
	"errors"
	"strconv"
	"strings"

	"pixgraph/upstream/wire"
)

// Pointer is a JSON Pointer (RFC 6901) into free-form JSON, split into its reference tokens.
type Pointer []string

var errPointer = errors.New("must be a JSON Pointer (RFC 6901), such as /notificationIds")

// ParsePointer parses a JSON Pointer such as /notificationIds or /webhook/ids/0. The empty pointer is the whole
// document.
func ParsePointer(text string) (Pointer, error) {
	if text == "" {
		return Pointer{}, nil
	}
	if text[0] != '/' {
		return nil, errPointer
	}
	tokens := strings.Split(text[1:], "/")
	unescape := strings.NewReplacer("~1", "/", "~0", "~") // in one pass: ~01 is ~1
	for i, token := range tokens {
		if strings.Count(token, "~") != strings.Count(token, "~0")+strings.Count(token, "~1") {
			return nil, errPointer
		}
		tokens[i] = unescape.Replace(token)
	}
	return tokens, nil
}

// Strings returns the string that the pointer leads to, or the strings of the array that it leads to. It returns nil
// for any other value, a missing value, or invalid JSON. It fails at an array of more elements than the gateway reads:
// it is unknown what that has.
func (p Pointer) Strings(value JSON) ([]string, error) {
	at, err := wire.Index(value)
	if err != nil {
		return nil, nil //nolint:nilerr // documented
	}
	for _, token := range p {
		if at, err = step(at, token); err != nil || !at.Exists() {
			return nil, err
		}
	}
	if text, err := ReadText(at); err == nil {
		return []string{text.String()}, nil
	}
	elements, err := at.Elements()
	if err != nil {
		return nil, ignoreKind(err)
	}
	var list []string
	for elements.Next() {
		if text, err := ReadText(elements.Value()); err == nil {
			list = append(list, text.String())
		}
	}
	return list, nil
}

// step resolves one reference token. It returns the zero Value if the token leads nowhere.
func step(value wire.Value, token string) (wire.Value, error) {
	elements, err := value.Elements()
	if err != nil {
		return value.Get(token), ignoreKind(err)
	}
	i, err := strconv.Atoi(token)
	if err != nil || strconv.Itoa(i) != token { // "+1" and "01" are not indexes
		return wire.Value{}, nil
	}
	for elements.Next() {
		if i == 0 {
			return elements.Value(), nil
		}
		i--
	}
	return wire.Value{}, nil
}

// ignoreKind returns the error of an array that cannot be read; nil for a value that is no array.
func ignoreKind(err error) error {
	if errors.Is(err, wire.ErrWrongKind) {
		return nil
	}
	return err
}
