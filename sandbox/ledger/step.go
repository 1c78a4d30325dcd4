package ledger

import "time"

// moving is the cycle of an open payment. One step after it was paid it starts
// again with the same id and the same date of creation. So no list grows or
// changes its order, links stay valid, and so do ids. That is our choice; in
// the real services no payment goes back.
var moving = []string{pending, qrCodeGenerated, paid}

// openPayment is an open transaction and its deposit.
type openPayment struct {
	beginning            *payment // in its first status
	now                  *payment // immutable, replaced by each step
	deposit, transaction *Entry   // as last put into the tables
}

// Step moves each open payment to its next status: PENDING,
// PIX_QRCODE_GENERATED, PAID, and then PENDING again. History, dates, amount
// paid, payer and EndToEndId change accordingly, in the deposit and in the
// transaction. The time is that of Config.Now, or a second after the newest
// change if that clock does not move. A record that [Ledger.Put] replaced does
// not change.
func (l *Ledger) Step() {
	var changes []Change
	var deposits, transactions []*Entry
	l.mu.Lock()
	at := l.tick()
	for i := range l.open {
		p := &l.open[i]
		p.step(at, newDraw(uint64(at.UnixMilli()), stepStream, i))
		if l.tables[Deposit].byID[p.now.id] == p.deposit {
			p.deposit = entryOf(Deposit, p.now.object)
			deposits = append(deposits, p.deposit)
		}
		if l.tables[Transaction].byID[p.now.id] == p.transaction {
			p.transaction = entryOf(Transaction, p.now.object)
			transactions = append(transactions, p.transaction)
			changes = append(changes, Change{Transaction, p.now.id, p.transaction.Status})
		}
	}
	l.tables[Deposit].put(deposits...)
	l.tables[Transaction].put(transactions...)
	notify := l.notify
	l.mu.Unlock()
	if notify != nil {
		notify(changes)
	}
}

// tick returns the time of a change, which is later than that of the last one. The ledger is locked.
func (l *Ledger) tick() time.Time {
	at := instant(l.now())
	if !at.After(l.last) {
		at = l.last.Add(time.Second)
	}
	l.last = at
	return at
}

func (p *openPayment) step(at time.Time, d draw) {
	next := p.now.clone()
	switch next.get("status") {
	case pending:
		next.reach(d, qrCodeGenerated, at)
	case qrCodeGenerated:
		next.reach(d, paid, at)
	default:
		next = p.beginning.clone()
		next.set("updatedAt", timestamp(at))
		next.expire(d, at.Add(time.Hour))
	}
	p.now = next
}
