package ledger

import "time"

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
func (g *generator) transaction(i int) (now, beginning *payment) {
	c := g.clock(newDraw(g.seed, transactionStream, i), i)
	d := c.draw
	t := g.payment(newDraw(g.seed, paymentStream, i), i, c.at, byQRCode)
	t.set("isInfoProduct", d.chance(40))
	t.set("infractionDate", d.nothing())
	t.set("infractionAmount", d.nothing())
	t.set("customer", d.maybe(d.customer(t.from)))
	t.set("seller", d.maybe(d.seller(t.to)))
	t.set("address", d.maybe(d.address(t.from)))
	t.set("items", d.maybe(d.items(t.amount)))
	statuses := pickPath(d, paymentPaths)
	switch {
	case i < showpieces:
		t.set("customer", d.customer(t.from))
		t.set("seller", d.seller(t.to))
		t.set("address", d.address(t.from))
		t.set("items", d.items(t.amount))
		t.set("receiver", t.to.holder(d))
		// Paid, refunded, paid, refunded through a dispute.
		statuses = paymentPaths[[showpieces]int{0, 4, 0, 7}[i]].statuses
	case moves(i):
		statuses = moving[:1+i%len(moving)]
		t.expire(d, g.anchor.Add(time.Hour))
		beginning = t.clone()
	}
	t.follow(c, statuses)
	return t, beginning
}
