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

// Seller is who sells in a transaction (spec 2.5).
type Seller struct{ object }

func (s *Seller) Name() (Text, error) { return s.text("name") }
func (s *Seller) Document() (*Document, error) {
	return required(&s.object, "document", documentReader(&s.object))
}

// Document is a CPF or CNPJ, possibly masked. The spec's table calls it a string, its sample payload carries an
// object with value and type: both are read.
type Document struct {
	object
	text Text // the document, where it was sent as a string
}

// Value is the document itself.
func (d *Document) Value() (Text, error) {
	if d.text != nil {
		return d.text, nil
	}
	return d.object.text("value")
}

// Type is the kind of document, nil where the API sent a string; its values are not shown.
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

// Contact is an e-mail address or a telephone number. The spec's table calls it an object of an unknown shape, its
// sample payload carries a string: both are read.
type Contact struct{ value wire.Value }

// Raw is the contact as it was sent.
func (c *Contact) Raw() JSON { return c.value.Bytes() }

// Value is the contact where it was sent as a string, or the object's own "value" where that is a string (our
// reading: the spec does not show the object's members). Nil otherwise.
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

// Address is where a customer lives (spec 2.5).
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
