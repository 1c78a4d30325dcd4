package serve

import (
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/fleet"
	"pixgraph/graph/guard/limits"
	"pixgraph/request"
)

// TestSearchesArePaid: a search for a document of another replica costs a token, and is not made for a caller whose
// bucket is less than half full.
func TestSearchesArePaid(t *testing.T) {
	l, err := limits.New(limits.Config{Rate: limits.RateConfig{PerAddress: limits.Rate{PerSecond: 1e-6, Burst: 4}}}, &ast.Schema{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := fleet.Open(fleet.Config{URL: "redis://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	call := &request.Call{Origin: request.Origin{Address: "spender"}}
	for range 3 {
		sharedDocuments{f, l}.Document(call, [32]byte{})
	}
	if l.PayInBackground("", "spender", 1) == 0 || l.PayInBackground("", "another", 1) != 0 {
		t.Error("three searches did not cost three of four tokens")
	}
	noFleet := sharedDocuments{nil, l}
	if _, ok := noFleet.Document(call, [32]byte{}); ok {
		t.Error("a search is made without credit")
	}
}
