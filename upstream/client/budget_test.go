package client

import "testing"

func TestBudget(t *testing.T) {
	var b budget
	b.fill()
	spent := func() (n int) {
		for b.spend() {
			n++
		}
		return n
	}
	if got := spent(); got != budgetReserve {
		t.Errorf("%d at the start, want %d", got, budgetReserve)
	}
	total := 0
	for range 1000 {
		b.earn()
		total += spent()
	}
	if total != 100 {
		t.Errorf("%d retries for 1,000 calls, want a tenth", total)
	}
	for range 1000 {
		b.earn()
	}
	if got := spent(); got != budgetReserve {
		t.Errorf("%d saved up, want %d", got, budgetReserve)
	}
}
