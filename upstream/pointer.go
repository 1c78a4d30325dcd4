package upstream

import (
	"encoding/json"
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
	if !json.Valid(value) {
		return nil
	}
	value = value[wire.Space(value, 0):]
	for _, token := range p {
		if value = step(value, token); value == nil {
			return nil
		}
	}
	elements, err := wire.Split(value, maxElements)
	if err != nil {
		elements = [][]byte{value}
	}
	var list []string
	for _, element := range elements {
		if text, err := readText(element); err == nil {
			list = append(list, text.String())
		}
	}
	return list
}

// step returns what one reference token leads to, nil when there is nothing.
func step(value JSON, token string) JSON {
	if object, err := wire.Index(value); err == nil {
		return object.Get(token)
	}
	elements, err := wire.Split(value, maxElements)
	if err != nil {
		return nil
	}
	i, err := strconv.Atoi(token)
	if err != nil || i < 0 || i >= len(elements) || strconv.Itoa(i) != token { // "+1" and "01" are no indexes
		return nil
	}
	return elements[i]
}
