package ledger_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"pixgraph/sandbox/ledger"
)

// TestMany: the deposits of a large shop are those of a month, each with an id and a time of its own, among those that
// are held. Lists are filtered by what their records say, and the same index has the same record.
func TestMany(t *testing.T) {
	all := func(*ledger.Entry) bool { return true }
	now := time.Date(2026, 11, 27, 1, 30, 0, 0, time.UTC) // still the 26th in Brasília
	for _, deposits := range []int{20, 21, 22, 23, 26, 60, 720} {
		config := ledger.Config{Records: 20, Deposits: deposits, Now: func() time.Time { return now }}
		l := ledger.New(config)
		list := l.Select(ledger.Deposit, all, nil)
		if list.Len() != deposits || len(l.Deposits()) != 20 || l.Select(ledger.Withdrawal, all, nil).Len() != 20 {
			t.Fatalf("%d deposits, want %d", list.Len(), deposits)
		}
		days, ids, again := map[string]int{}, map[string]bool{}, ledger.New(config).Select(ledger.Deposit, all, nil)
		var paid []string
		var before time.Time
		for i := range list.Len() {
			e := list.At(i)
			if i > 0 && !e.CreatedAt.Before(before) || ids[e.ID] || e.CreatedAt.After(now) {
				t.Errorf("%d of %d: %s of %s", i, deposits, e.ID, e.CreatedAt)
			}
			if !bytes.Equal(e.JSON(), again.At(i).JSON()) {
				t.Errorf("%d of %d differs in another sandbox", i, deposits)
			}
			if read := ledger.NewEntry(e.JSON()); read.ID != e.ID || read.Status != e.Status || read.Amount != e.Amount || !read.CreatedAt.Equal(e.CreatedAt) {
				t.Errorf("%d of %d: %+v", i, deposits, read)
			}
			before, ids[e.ID] = e.CreatedAt, true
			days[e.CreatedAt.Add(-3*time.Hour).Format(time.DateOnly)]++
			if e.Status == "PAID" && e.Amount > 1000 && e.Text("depositOrigin") == "PIX_KEY" {
				paid = append(paid, e.ID)
			}
		}
		var got []string
		filtered := l.Select(ledger.Deposit, all, func(e *ledger.Entry) bool {
			return e.Status == "PAID" && e.Amount > 1000 && e.Text("depositOrigin") == "PIX_KEY"
		})
		for i := range filtered.Len() {
			got = append(got, filtered.At(i).ID)
		}
		if !slices.Equal(got, paid) {
			t.Errorf("%d of %d deposits pass the filter, want %d", len(got), deposits, len(paid))
		}
		if deposits == 720 && (days["2026-11-23"] < 120 || days["2026-11-25"] < 20 || days["2026-10-27"] < 20 || days["2026-10-26"] > 7) {
			t.Errorf("%v", days)
		}
	}
}
