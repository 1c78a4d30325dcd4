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
	transactions, beginnings := make([]*payment, g.count), make([]*payment, g.count)
	deposits, withdrawals := make([]*payment, g.count), make([]*payment, g.count)
	for i := range g.count {
		transactions[i], beginnings[i] = g.transaction(i)
		if deposits[i] = transactions[i]; !sharesID(i) {
			deposits[i] = g.deposit(i)
		}
		withdrawals[i] = g.withdrawal(i)
	}
	notifications, about := g.notifications(transactions, deposits, withdrawals)
	for i := range g.count {
		metadata := g.metadata(i, about[i], about[(i+1)%g.count])
		transactions[i].set("metadata", metadata)
		for kind, record := range [kinds]object{
			Deposit: deposits[i].object, Withdrawal: withdrawals[i].object, Transaction: transactions[i].object, Notification: notifications[i],
		} {
			entries[kind] = append(entries[kind], entryOf(Kind(kind), record))
		}
		if moves(i) {
			beginnings[i].set("metadata", metadata)
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
func (g *generator) notifications(ts, ds, ws []*payment) (all []object, about [][]string) {
	about = make([][]string, g.count)
	add := func(o occasion) { all = append(all, g.notification(len(all), o)) }
	for i := range ts {
		for k := range g.notificationsOf(i) {
			if len(all) >= g.count*3/4 {
				break
			}
			o := occasionOf("transaction", ts[i], k)
			if i >= showpieces && len(all)%13 == 6 {
				o.reference = strings.ToUpper(o.reference)
			}
			add(o)
			about[i] = append(about[i], all[len(all)-1].get("id").(string))
		}
	}
	for i := 0; len(all) < g.count; i++ {
		j := (3 * i) % g.count
		o := occasionOf("deposit", ds[j], i)
		switch i % 9 {
		case 0, 1, 2, 3:
			o = occasionOf("withdrawal", ws[j], i%len(ws[j].history))
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
	h := p.history[min(k, len(p.history)-1)]
	return occasion{kind, p.id, h.Status, p.amount, time.Time(h.Date), p.merchant}
}
