package graph

import (
	"slices"
	"testing"

	"pixgraph/upstream"
)

// TestUntil: a status counts once, so that the work for each reading does not grow with the list.
func TestUntil(t *testing.T) {
	paid := slices.Repeat([]upstream.TransactionStatus{"PAID", "REFUNDED"}, 1000)
	until, err := untilOf(paid, nil)
	if err != nil || !slices.Equal(until.Statuses, []string{"PAID", "REFUNDED"}) {
		t.Errorf("%d statuses, %v", len(until.Statuses), err)
	}
}
