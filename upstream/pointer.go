package upstream

import (
	"errors"
	"strconv"
	"strings"
)

// Pointer is a JSON Pointer (RFC 6901) to a place in free-form JSON, cut into its reference tokens.
type Pointer []string

// ParsePointer reads a JSON Pointer such as /notificationIds or /webhook/ids/0.
func ParsePointer(text string) (Pointer, error) {
	if text == "" {
		return Pointer{}, nil
	}
	if text[0] != '/' {
		return nil, errors.New("must be a JSON Pointer (RFC 6901), such as /notificationIds")
	}
	tokens := strings.Split(text[1:], "/")
	for i, token := range tokens {
		tokens[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
	}
	return tokens, nil
}

// Strings returns what the pointer leads to: the one string there, or the strings of the array there. It returns
// nothing where there is nothing of the kind.
func (p Pointer) Strings(value JSON) []string {
	for _, token := range p {
		if value = step(value, token); value == nil {
			return nil
		}
	}
	elements, err := split(value)
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
	if len(value) == 0 {
		return nil
	}
	if members, err := index(value); err == nil {
		o := object{members: members}
		return o.get(token)
	}
	elements, err := split(value)
	if i, bad := strconv.Atoi(token); err == nil && bad == nil && i >= 0 && i < len(elements) {
		return elements[i]
	}
	return nil
}
