package ledger

import "strings"

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

// customer, seller, address and items are objects of spec 2.5.
func (d draw) customer(p *party) object {
	ip, document := d.maybe(d.ip()), p.shapedDocument(d)
	return object{
		{"ip", ip}, {"name", p.name},
		{"email", d.maybe(d.contact(p.email))},
		{"document", document},
		{"landline", d.maybe(d.contact("+55" + p.home.area + "3" + d.digits(7)))},
		{"mobilePhone", d.maybe(d.contact("+55" + p.home.area + "9" + d.digits(8)))},
	}
}

// ip is an address reserved for documentation: RFC 5737 and RFC 3849.
func (d draw) ip() string {
	if d.chance(20) {
		return "2001:db8::" + d.text(1, hexSet[1:]) + d.hex(3)
	}
	return pick(d, []string{"192.0.2.", "198.51.100.", "203.0.113."}) + decimal(d.between(1, 254))
}

func (d draw) seller(p *party) object {
	return object{{"name", p.name}, {"document", p.shapedDocument(d)}}
}

func (d draw) address(p *party) object {
	zip := p.home.zip + d.digits(3) + "-" + d.digits(3)
	a := object{
		{"zipCode", zip}, {"number", decimal(d.between(1, 3000))},
		{"street", pick(d, streets)}, {"neighborhood", pick(d, neighborhoods)}, {"city", p.home.name}, {"state", p.home.uf},
		{"country", "BR"}, {"complement", d.maybe(pick(d, complements))},
	}
	if d.chance(25) {
		a.set("zipCode", strings.ReplaceAll(zip, "-", ""))
		a.set("state", p.home.state)
		a.set("country", "Brasil")
	}
	if d.chance(5) {
		a.set("number", "S/N")
	}
	return a
}

// items are products whose prices add up to the amount.
func (d draw) items(amount int64) []object {
	all := []object{}
	if d.chance(4) {
		return all
	}
	for left := amount; left > 0; {
		title, price, quantity := pick(d, products), left, int64(1)
		if q := d.between(1, 4); left >= 100 && len(all) < 3 && d.chance(60) {
			quantity, price = q, left/(2*q)
		}
		all = append(all, object{
			{"title", title}, {"unitPrice", price}, {"quantity", quantity},
			{"description", d.maybe("Pedido pelo site: " + strings.ToLower(title))},
		})
		left -= quantity * price
	}
	return all
}
