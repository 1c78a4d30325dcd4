package upstream

import "pixgraph/upstream/wire"

// Customer is the payer of a transaction (spec 2.5).
type Customer struct{ object }

func (c *Customer) IP() (Text, error)        { return c.maybeText("ip") }
func (c *Customer) Name() (Text, error)      { return c.text("name") }
func (c *Customer) Email() (*Contact, error) { return optional(&c.object, "email", readContact) }
func (c *Customer) Document() (*Document, error) {
	return required(&c.object, "document", documentReader(&c.object))
}
func (c *Customer) Landline() (*Contact, error) { return optional(&c.object, "landline", readContact) }
func (c *Customer) MobilePhone() (*Contact, error) {
	return optional(&c.object, "mobilePhone", readContact)
}

// Seller is the seller of a transaction (spec 2.5).
type Seller struct{ object }

func (s *Seller) Name() (Text, error) { return s.text("name") }
func (s *Seller) Document() (*Document, error) {
	return required(&s.object, "document", documentReader(&s.object))
}

// Document is a CPF or CNPJ, possibly masked. The table of the spec calls it a string; the sample has an object with value and
// type. Both forms are accepted.
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
			text, err := readText(value)
			return &Document{text: text}, err
		}
		o, err := asObject(parent.service, value)
		return &Document{object: o}, err
	}
}

// Contact is an e-mail address or a telephone number. The table of the spec calls it an object of an unknown shape; the sample
// has a string. Both forms are accepted.
type Contact struct{ value wire.Value }

// Raw returns the JSON of the contact.
func (c *Contact) Raw() JSON { return c.value.Bytes() }

// Value returns the contact if it was sent as a string, or the member "value" of the object if that is a string. Otherwise it
// returns nil. The member is our choice: the spec does not show the members of the object.
func (c *Contact) Value() Text {
	if text, err := readText(c.value); err == nil {
		return text
	}
	o := object{value: c.value}
	text, err := o.maybeText("value")
	if err != nil {
		return nil
	}
	return text
}

func readContact(value wire.Value) (*Contact, error) {
	if kind := value.Kind(); kind != '"' && kind != '{' {
		return nil, wire.ErrWrongKind
	}
	_, err := readJSON(value)
	return &Contact{value}, err
}

// Address is the address of a customer (spec 2.5).
type Address struct{ object }

func (a *Address) ZipCode() (Text, error)      { return a.text("zipCode") }
func (a *Address) Number() (Text, error)       { return a.text("number") }
func (a *Address) Street() (Text, error)       { return a.text("street") }
func (a *Address) Neighborhood() (Text, error) { return a.text("neighborhood") }
func (a *Address) City() (Text, error)         { return a.text("city") }
func (a *Address) State() (Text, error)        { return a.text("state") }
func (a *Address) Country() (Text, error)      { return a.text("country") }
func (a *Address) Complement() (Text, error)   { return a.maybeText("complement") }

// Item is a product of a transaction (spec 2.5).
type Item struct{ object }

func (i *Item) Title() (Text, error)       { return i.text("title") }
func (i *Item) UnitPrice() (Cents, error)  { return i.cents("unitPrice") }
func (i *Item) Quantity() (Decimal, error) { return i.decimal("quantity") }
func (i *Item) Description() (Text, error) { return i.maybeText("description") }
