package ledger

import (
	"strings"
	"time"
)

// generator creates all records of a seed. A record depends only on the seed,
// the reference time and its index, except for the links between transactions
// and notifications.
type generator struct {
	seed      uint64
	count     int // of each kind
	anchor    time.Time
	merchants []*merchant
}

// The distance between records: two thousand records cover eleven months.
const (
	newestAge = 10 * time.Minute
	spacing   = 4 * time.Hour
)

// clock starts at the creation time of the record with this index. Each record is older than the one before.
func (g *generator) clock(d draw, i int) *clock {
	age := newestAge + time.Duration(i)*spacing + time.Duration(d.between(0, int64(spacing-time.Minute)))
	return &clock{draw: d, anchor: g.anchor, at: instant(g.anchor.Add(-age))}
}

// records creates all records, by kind, and returns which of them are open payments.
func (g *generator) records() (entries [kinds][]*Entry, open []openPayment) {
	transactions, beginnings := make([]*transaction, g.count), make([]*transaction, g.count)
	deposits := make([]*deposit, g.count)
	withdrawals := make([]*withdrawal, g.count)
	for i := range g.count {
		transactions[i], beginnings[i] = g.transaction(i)
		if sharesID(i) {
			deposits[i] = depositOf(transactions[i])
		} else {
			deposits[i] = g.deposit(i)
		}
		withdrawals[i] = g.withdrawal(i)
	}
	notifications, about := g.notifications(transactions, deposits, withdrawals)
	for i := range g.count {
		transactions[i].Metadata = g.metadata(i, about[i], about[(i+1)%g.count])
		for kind, record := range [kinds]any{
			Deposit: deposits[i], Withdrawal: withdrawals[i], Transaction: transactions[i], Notification: notifications[i],
		} {
			entries[kind] = append(entries[kind], entryOf(Kind(kind), record))
		}
		if moves(i) {
			beginnings[i].Metadata = transactions[i].Metadata
			open = append(open, openPayment{
				beginning: beginnings[i], now: transactions[i], deposit: entries[Deposit][i], transaction: entries[Transaction][i],
			})
		}
	}
	return entries, open
}

// sharesID reports whether the transaction with this index is also a deposit,
// with the same id: two in three, and all on the first pages.
func sharesID(i int) bool { return i < 2*(showpieces+openPayments) || i%3 != 0 }

// notifications creates as many notifications as there are records of another
// kind, and returns which of them are about each transaction. Three in four
// are about a transaction. The others are about a withdrawal, a deposit
// without a transaction, an order (not a UUID), or an unknown UUID.
func (g *generator) notifications(ts []*transaction, ds []*deposit, ws []*withdrawal) (all []*notification, about [][]string) {
	about = make([][]string, g.count)
	add := func(o occasion) *notification {
		n := g.notification(len(all), o)
		all = append(all, n)
		return n
	}
	for i := range ts {
		for k := range g.notificationsOf(i) {
			if len(all) >= g.count*3/4 {
				break
			}
			o := occasionOf("transaction", &ts[i].payment, k)
			if i >= showpieces && len(all)%13 == 6 {
				o.reference = strings.ToUpper(o.reference)
			}
			about[i] = append(about[i], add(o).ID)
		}
	}
	for i := 0; len(all) < g.count; i++ {
		j := (3 * i) % g.count
		o := occasionOf("deposit", &ds[j].payment, i)
		switch i % 9 {
		case 0, 1, 2, 3:
			w := ws[j]
			h := w.StatusHistory[i%len(w.StatusHistory)]
			o = occasion{"withdrawal", w.ID, h.Status, w.Amount, time.Time(h.Date), w.from}
		case 4, 5:
			o.kind, o.reference = "order", "order-"+o.at.Format("2006")+"-"+newDraw(g.seed, linkStream, g.count+i).digits(5)
		case 6:
			o.kind, o.reference = "charge", newDraw(g.seed, linkStream, g.count+i).uuid()
		}
		add(o)
	}
	return all, about
}

// notificationsOf is the number of notifications of a transaction: several
// for the first ones, one on average for the others.
func (g *generator) notificationsOf(i int) int {
	if i < showpieces+openPayments {
		return [...]int{4, 3, 3, 5}[i%4]
	}
	return [...]int{0, 0, 0, 0, 1, 1, 1, 2, 2, 3}[newDraw(g.seed, linkStream, i).r.IntN(10)]
}

// occasionOf is the k-th status of a payment, or its last one if it has fewer.
func occasionOf(kind string, p *payment, k int) occasion {
	h := p.StatusHistory[min(k, len(p.StatusHistory)-1)]
	return occasion{kind, p.ID, h.Status, p.Amount, time.Time(h.Date), p.to}
}
