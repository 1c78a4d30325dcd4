package ledger

import (
	"slices"
	"time"
)

// many are deposits that are not held: each is made from its index whenever it is read. They are those of a large shop,
// paid by the printed codes of its counters, within the 30 days of Brasília before the reference time. A sixth of them
// are of one day.
type many struct {
	*generator
	count, busy, usual int       // of all days, of the busiest, and of each other day but the oldest
	end                time.Time // of the newest day
}

const (
	manyDays = 30
	busyDay  = 2 // the third newest
	day      = 24 * time.Hour
	brasilia = -3 * time.Hour
)

func newMany(g *generator, count int) *many {
	m := &many{generator: g, count: max(0, count), end: g.anchor.Add(brasilia).Truncate(day).Add(-brasilia)}
	m.busy = m.count * 3 / 17 // 12,000 of 70,000, with those that are held
	m.usual = max(1, (m.count-m.busy)/(manyDays-1))
	return m
}

// newerThan is the number of deposits of the days that are newer than a day.
func (m *many) newerThan(day int) int {
	switch {
	case day == manyDays:
		return m.count
	case day > busyDay:
		return min(m.count, m.busy+(day-1)*m.usual)
	default:
		return min(m.count, day*m.usual)
	}
}

// at is the time of a deposit. That with the next index is older.
func (m *many) at(i int) time.Time {
	of := min(i/m.usual, busyDay)
	if i >= m.newerThan(busyDay+1) {
		of = min((i-m.busy)/m.usual+1, manyDays-1)
	}
	first := m.newerThan(of)
	between := day / time.Duration(m.newerThan(of+1)-first)
	return instant(m.end.Add(-time.Duration(of)*day - time.Duration(i-first+1)*between))
}

// sketched are the members by which lists are usually filtered.
var sketched = []string{"id", "amount", "status", "depositOrigin"}

// sketch sets these members of an entry.
func (m *many) sketch(i int, e *Entry) {
	d := newDraw(m.seed, manyStream, i)
	statuses := pickPath(d, keyPaths)
	e.ID, e.Amount, e.Status = d.uuid(), d.amount(i), statuses[len(statuses)-1]
}

// entry makes a deposit.
func (m *many) entry(i int) *Entry {
	d := newDraw(m.seed, manyStream, i)
	statuses := pickPath(d, keyPaths) // as in sketch, and so are the id and the amount, which payment draws first
	c := &clock{draw: d, anchor: m.anchor, at: m.at(i)}
	p := m.payment(d, i, c.at, byPixKey)
	response := p.pixResponse()
	response.code.TxID, response.code.Cents = "", 0 // few codes, so that their images need not be drawn again
	p.set("pixResponse", response)
	p.follow(c, statuses)
	return entryOf(Deposit, p.object)
}

// Selection is the records of a list that pass its filters, the newest first.
type Selection struct {
	held  []*Entry
	many  *many
	order []int32 // indexes of many, and complements of those of held; nil if held are all
}

// Select returns the records of a kind that pass a filter by createdAt, and another one by members, which may be nil.
func (l *Ledger) Select(kind Kind, byTime, others func(*Entry) bool, members ...string) Selection {
	s := Selection{many: l.many}
	for _, e := range l.List(kind) {
		if byTime(e) && (others == nil || others(e)) {
			s.held = append(s.held, e)
		}
	}
	if kind != Deposit || l.many.count == 0 {
		return s
	}
	next := 0 // of held
	e := &Entry{record: object{{"depositOrigin", byPixKey}}}
	whole := slices.ContainsFunc(members, func(name string) bool { return !slices.Contains(sketched, name) })
	for i := range l.many.count {
		if e.CreatedAt = l.many.at(i); !byTime(e) {
			continue
		}
		switch {
		case whole:
			e = l.many.entry(i)
		case others != nil:
			l.many.sketch(i, e)
		}
		if others != nil && !others(e) {
			continue
		}
		for ; next < len(s.held) && s.held[next].CreatedAt.After(e.CreatedAt); next++ {
			s.order = append(s.order, int32(^next))
		}
		s.order = append(s.order, int32(i))
	}
	for ; next < len(s.held); next++ {
		s.order = append(s.order, int32(^next))
	}
	return s
}

// Len returns the number of records.
func (s Selection) Len() int { return max(len(s.held), len(s.order)) }

// At returns a record.
func (s Selection) At(i int) *Entry {
	switch {
	case s.order == nil:
		return s.held[i]
	case s.order[i] < 0:
		return s.held[^s.order[i]]
	default:
		return s.many.entry(int(s.order[i]))
	}
}
