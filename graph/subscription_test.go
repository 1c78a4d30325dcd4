package graph

import (
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/upstream"
)

// TestWatches: each field of Subscription, and each field of Query that waits, has a watch.
func TestWatches(t *testing.T) {
	schema, err := NewSchema(nil, Features{Live: true})
	must(t, err)
	for _, root := range []*ast.Definition{schema.Schema().Subscription, schema.Schema().Query} {
		for _, field := range root.Fields {
			watched := root.Name == "Subscription" || strings.HasPrefix(field.Name, awaitPrefix)
			if watched && schema.Lookups.watchOf(field.Name) == nil {
				t.Errorf("nothing says what %s watches", field.Name)
			}
		}
	}
}

// TestUntil: a status counts once, so that the work for each reading does not grow with the list.
func TestUntil(t *testing.T) {
	paid := slices.Repeat([]upstream.TransactionStatus{"PAID", "REFUNDED"}, 1000)
	until, err := untilOf(paid, nil)
	if err != nil || !slices.Equal(until.Statuses, []string{"PAID", "REFUNDED"}) {
		t.Errorf("%d statuses, %v", len(until.Statuses), err)
	}
}
