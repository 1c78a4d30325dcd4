package ledger

import "strings"

// customer, seller, address and item are the objects of spec 2.5.
type customer struct {
	IP          optional[string] `json:"ip,omitzero"`
	Name        string           `json:"name"`
	Email       optional[any]    `json:"email,omitzero"`
	Document    any              `json:"document"`
	Landline    optional[any]    `json:"landline,omitzero"`
	MobilePhone optional[any]    `json:"mobilePhone,omitzero"`
}

type seller struct {
	Name     string `json:"name"`
	Document any    `json:"document"`
}

type address struct {
	ZipCode      string           `json:"zipCode"`
	Number       string           `json:"number"`
	Street       string           `json:"street"`
	Neighborhood string           `json:"neighborhood"`
	City         string           `json:"city"`
	State        string           `json:"state"`
	Country      string           `json:"country"`
	Complement   optional[string] `json:"complement,omitzero"`
}

type item struct {
	Title       string           `json:"title"`
	UnitPrice   int64            `json:"unitPrice"`
	Quantity    int64            `json:"quantity"`
	Description optional[string] `json:"description,omitzero"`
}

// shapedDocument is a string, as in the spec's table, or an object, as in its sample.
func (p *party) shapedDocument(d draw) any {
	shown := p.shownDocument(d)
	if d.chance(60) {
		return object{{"value", shown}, {"type", p.documentType()}}
	}
	return shown
}

// contact is an e-mail or a phone: the spec's table calls it an object, its
// sample has a string. The records have both; an object has the text as
// value.
func (d draw) contact(value string) any {
	if d.chance(35) {
		return object{{"value", value}}
	}
	return value
}

func (d draw) customer(p *party) customer {
	return customer{
		IP: maybe(d, d.ip()), Name: p.name, Document: p.shapedDocument(d),
		Email:       maybe(d, d.contact(p.email)),
		Landline:    maybe(d, d.contact("+55"+p.home.area+"3"+d.digits(7))),
		MobilePhone: maybe(d, d.contact("+55"+p.home.area+"9"+d.digits(8))),
	}
}

// ip is an address reserved for documentation: RFC 5737 and RFC 3849.
func (d draw) ip() string {
	if d.chance(20) {
		return "2001:db8::" + d.text(1, hexSet[1:]) + d.hex(3)
	}
	return pick(d, []string{"192.0.2.", "198.51.100.", "203.0.113."}) + decimal(d.between(1, 254))
}

func (d draw) seller(m *merchant) seller { return seller{m.name, m.shapedDocument(d)} }

func (d draw) address(p *party) address {
	a := address{
		ZipCode: p.home.zip + d.digits(3) + "-" + d.digits(3), Number: decimal(d.between(1, 3000)),
		Street: pick(d, streets), Neighborhood: pick(d, neighborhoods), City: p.home.name, State: p.home.uf,
		Country: "BR", Complement: maybe(d, pick(d, complements)),
	}
	if d.chance(25) {
		a.ZipCode = strings.ReplaceAll(a.ZipCode, "-", "")
		a.State, a.Country = p.home.state, "Brasil"
	}
	if d.chance(5) {
		a.Number = "S/N"
	}
	return a
}

// items are products whose prices add up to the amount.
func (d draw) items(amount int64) []item {
	all := []item{}
	if d.chance(4) {
		return all
	}
	for left := amount; left > 0; {
		it := item{Title: pick(d, products), Quantity: 1, UnitPrice: left}
		if q := d.between(1, 4); left >= 100 && len(all) < 3 && d.chance(60) {
			it.Quantity, it.UnitPrice = q, left/(2*q)
		}
		it.Description = maybe(d, "Pedido pelo site: "+strings.ToLower(it.Title))
		all, left = append(all, it), left-it.Quantity*it.UnitPrice
	}
	return all
}
