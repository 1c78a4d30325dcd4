package upstream

import "pixgraph/upstream/wire"

// Document is a CPF or CNPJ, possibly masked. The table of the spec calls it a string; the sample has an object with
// value and type. Both forms are accepted.
type Document struct {
	object
	text Text // the document, if it was sent as a string
}

// Value returns the number of the document.
func (d *Document) Value() (Text, error) {
	if d.text != nil {
		return d.text, nil
	}
	return d.object.text("value")
}

// Type returns the kind of document, or nil if the API sent a string. The spec does not show its values.
func (d *Document) Type() (Text, error) { return d.maybeText("type") }

func documentReader(parent *object) func(wire.Value) (*Document, error) {
	return func(value wire.Value) (*Document, error) {
		if value.Kind() == '"' {
			text, err := ReadText(value)
			return &Document{text: text}, err
		}
		o, err := asObject(parent.service, value)
		return &Document{object: o}, err
	}
}

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
	o := object{value: c.value}
	text, err := o.maybeText("value")
	if err != nil {
		return nil
	}
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
