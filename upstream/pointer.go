package upstream

import (
	"errors"
	"strconv"
	"strings"

	"pixgraph/upstream/wire"
)

// Pointer is a JSON Pointer (RFC 6901) to a place in free-form JSON, cut into its reference tokens.
type Pointer []string

var errNoPointer = errors.New("must be a JSON Pointer (RFC 6901), such as /notificationIds")

// ParsePointer reads a JSON Pointer such as /notificationIds or /webhook/ids/0. The empty one is the whole document.
func ParsePointer(text string) (Pointer, error) {
	if text == "" {
		return Pointer{}, nil
	}
	if text[0] != '/' {
		return nil, errNoPointer
	}
	tokens := strings.Split(text[1:], "/")
	unescape := strings.NewReplacer("~1", "/", "~0", "~") // in one pass: ~01 is ~1
	for i, token := range tokens {
		if strings.Count(token, "~") != strings.Count(token, "~0")+strings.Count(token, "~1") {
			return nil, errNoPointer
		}
		tokens[i] = unescape.Replace(token)
	}
	return tokens, nil
}

// Strings returns what the pointer leads to: the one string there, or the strings of the array there. It returns
// nothing where there is nothing of the kind, or no JSON.
func (p Pointer) Strings(value JSON) []string {
	at, err := wire.Index(value)
	if err != nil {
		return nil
	}
	for _, token := range p {
		if at = step(at, token); !at.Exists() {
			return nil
		}
	}
	if text, err := readText(at); err == nil {
		return []string{text.String()}
	}
	elements, err := at.Elements()
	if err != nil {
		return nil
	}
	var list []string
	for elements.Next() {
		if text, err := readText(elements.Value()); err == nil {
			list = append(list, text.String())
		}
	}
	return list
}

// step returns what one reference token leads to, no value when there is nothing.
func step(value wire.Value, token string) wire.Value {
	elements, err := value.Elements()
	if err != nil {
		return value.Get(token)
	}
	i, err := strconv.Atoi(token)
	if err != nil || strconv.Itoa(i) != token { // "+1" and "01" are no indexes
		return wire.Value{}
	}
	for elements.Next() {
		if i == 0 {
			return elements.Value()
		}
		i--
	}
	return wire.Value{}
}
