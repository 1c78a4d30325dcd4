package upstream

import "pixgraph/upstream/wire"

// Contact is an e-mail address or a telephone number. The table of the spec calls it an object of an unknown shape; the
// sample has a string. Both forms are accepted.
type Contact struct{ value wire.Value }

// Raw returns the JSON of the contact.
func (c *Contact) Raw() JSON { return c.value.Bytes() }

// Value returns the contact if it was sent as a string, or the member "value" of the object if that is a string.
// Otherwise it returns nil. The member is our choice: the spec does not show the members of the object.
func (c *Contact) Value() Text {
	if text, err := ReadText(c.value); err == nil {
		return text
	}
	text, _ := Raw{Value: c.value}.Text("value", false)
	return text
}

// ReadContact reads an e-mail address or a telephone number.
func ReadContact(value wire.Value) (*Contact, error) {
	if kind := value.Kind(); kind != '"' && kind != '{' {
		return nil, wire.ErrWrongKind
	}
	_, err := ReadJSON(value)
	return &Contact{value}, err
}
