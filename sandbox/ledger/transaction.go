package ledger

import "time"

// transaction is a Transaction of spec 2.3.
type transaction struct {
	payment
	Customer         optional[customer]  `json:"customer,omitzero"`
	Seller           optional[seller]    `json:"seller,omitzero"`
	IsInfoProduct    bool                `json:"isInfoProduct"`
	Address          optional[address]   `json:"address,omitzero"`
	Items            optional[[]item]    `json:"items,omitzero"`
	Metadata         optional[object]    `json:"metadata,omitzero"`
	InfractionDate   optional[timestamp] `json:"infractionDate,omitzero"`
	InfractionAmount optional[int64]     `json:"infractionAmount,omitzero"`
}

// The first transactions, newest first, are for users who explore the
// sandbox: some with all fields, then the open ones.
const (
	showpieces   = 4
	openPayments = 12
)

// moves reports whether the transaction with this index is an open payment.
func moves(i int) bool { return i >= showpieces && i < showpieces+openPayments }

// transaction creates the transaction with this index, without its metadata,
// which needs the ids of the notifications. For an open payment it also
// returns the first status, where each cycle starts.
func (g *generator) transaction(i int) (now, beginning *transaction) {
	d := newDraw(g.seed, transactionStream, i)
	c := g.clock(d, i)
	t := &transaction{
		payment: g.payment(newDraw(g.seed, paymentStream, i), i, c.at, false), IsInfoProduct: d.chance(40),
		InfractionDate: nothing[timestamp](d), InfractionAmount: nothing[int64](d),
	}
	t.Customer = maybe(d, d.customer(t.from))
	t.Seller = maybe(d, d.seller(t.to))
	t.Address = maybe(d, d.address(t.from))
	t.Items = maybe(d, d.items(t.Amount))
	statuses := pickPath(d, paymentPaths)
	switch {
	case i < showpieces:
		t.Customer, t.Seller = some(d.customer(t.from)), some(d.seller(t.to))
		t.Address, t.Items = some(d.address(t.from)), some(d.items(t.Amount))
		t.Receiver = some(t.to.holder(d))
		// Paid, refunded, paid, refunded through a dispute.
		statuses = paymentPaths[[showpieces]int{0, 4, 0, 7}[i]].statuses
	case moves(i):
		statuses = moving[:1+i%len(moving)]
		t.PixResponse.expires = expiry(d, g.anchor.Add(time.Hour))
	}
	if moves(i) {
		begun := *t
		beginning = &begun
	}
	for _, status := range statuses[1:] {
		t.reach(d, status, c.toReach(status))
	}
	return t, beginning
}

// reach moves the transaction to a status and sets the fields that depend on it.
func (t *transaction) reach(d draw, status string, at time.Time) {
	t.payment.reach(d, status, at)
	if status == infraction {
		t.InfractionDate, t.InfractionAmount = some(timestamp(at)), some(t.Amount)
	}
}
