package ledger

import "encoding/json"

// metadata creates a transaction's free-form metadata. own are the ids of its
// notifications, others those of another transaction. The ids of a
// transaction's notifications are in the metadata as notificationIds, which
// is the sandbox's link from a transaction to its notifications; spec
// 4.5 shows none. A few records lack them, and one in fifty has empty
// metadata.
func (g *generator) metadata(i int, own, others []string) any {
	d := newDraw(g.seed, metadataStream, i)
	if i%50 == 44 {
		return object{}
	}
	o := object{{"orderId", "PED-" + d.digits(6)}}
	if len(own) > 0 && (i < showpieces+openPayments || d.chance(95)) {
		o = append(o, member{"notificationIds", g.hints(d, i, own, others)})
	}
	switch d.r.IntN(6) {
	case 0:
		o = append(o, member{"cart", object{
			{"coupon", nil}, {"lines", []any{object{{"sku", "A-" + d.digits(3)}, {"tags", []string{"novo", "frágil"}}}, []any{}}},
			{"gift", d.chance(50)},
		}})
	case 1:
		o = append(o, member{"observação", "Entrega após as 18h — portão azul 🏠 <campainha & interfone>"},
			member{"名前", "山田 \u2028 Ana"}, member{"", "a name may be empty"})
	case 2:
		o = append(o, member{"ledgerSequence", json.Number("9007199254740993")},
			member{"hash128", json.Number("340282366920938463463374607431768211455")},
			member{"rate", json.Number("0.1000000000000000055511151231257827")}, member{"discount", json.Number("-0.0")})
	case 3:
		o = append(o, member{"__typename", "Order"}, member{"__proto__", object{{"admin", true}}})
	}
	if i%97 == 20 {
		o = append(o, member{"limit", json.Number("1E400")}, member{"epsilon", json.Number("-1e-400")})
	}
	if i < showpieces+openPayments {
		return o
	}
	return d.maybe(o)
}

// hints are the ids of a transaction's notifications. In some records they
// include an id that does not exist, or one of another transaction; the third
// showpiece has both.
func (g *generator) hints(d draw, i int, own, others []string) []string {
	hints := append([]string{}, own...)
	if i == 2 || i >= showpieces && i%7 == 3 {
		hints = append(hints, g.notificationID(d, g.anchor))
	}
	if i == 2 || i >= showpieces && i%11 == 5 {
		hints = append(hints, others[:min(1, len(others))]...)
	}
	return hints
}
