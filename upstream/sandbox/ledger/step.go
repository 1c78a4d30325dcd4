package ledger

import "time"

// moving is the way of an open payment. Having been paid for one step, it
// begins anew under the same id, with the same date of creation: no list
// grows or changes its order, no link breaks, and ids seen once stay good.
// That is our choice; the real services show no payment that goes back.
var moving = []string{pending, qrCodeGenerated, paid}

// openPayment is a transaction, and the deposit that it came in by, which move.
type openPayment struct {
	beginning            *transaction // created, and nothing else
	now                  *transaction // never changed, only replaced
	deposit, transaction *Entry       // as last put into the tables
}

// Step moves each open payment one status on: PENDING, PIX_QRCODE_GENERATED,
// PAID, and from there to PENDING again. History, dates, amount paid, payer
// and EndToEndId follow, in the deposit and in the transaction alike. The
// time is that of Config.Now, or a second after the newest change if that
// clock does not move. A record that [Ledger.Put] replaced is left alone.
func (l *Ledger) Step() {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := instant(l.now())
	if !at.After(l.last) {
		at = l.last.Add(time.Second)
	}
	l.last = at
	var deposits, transactions []*Entry
	for i := range l.open {
		p := &l.open[i]
		p.step(at, newDraw(uint64(at.UnixMilli()), stepStream, i))
		if e, ok := l.tables[Deposit].byID[p.now.ID]; ok && e == p.deposit {
			p.deposit = depositOf(p.now).entry()
			deposits = append(deposits, p.deposit)
		}
		if e, ok := l.tables[Transaction].byID[p.now.ID]; ok && e == p.transaction {
			p.transaction = p.now.entry()
			transactions = append(transactions, p.transaction)
		}
	}
	l.tables[Deposit].put(deposits...)
	l.tables[Transaction].put(transactions...)
}

func (p *openPayment) step(at time.Time, d draw) {
	next := *p.now
	switch next.Status {
	case pending:
		next.reach(d, qrCodeGenerated, at)
	case qrCodeGenerated:
		next.reach(d, paid, at)
	default:
		next = *p.beginning
		next.UpdatedAt = timestamp(at)
		next.PixResponse.expires = expiry(d, at.Add(time.Hour))
	}
	p.now = &next
}
