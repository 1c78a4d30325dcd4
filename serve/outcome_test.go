package serve

import (
	"errors"
	"os"
	"regexp"
	"testing"

	"pixgraph/graph"
	"pixgraph/graph/apierror"
	"pixgraph/internal/quota"
	"pixgraph/upstream"
)

// TestCodesHaveOutcomes: every code except INTERNAL has its outcome in the table.
func TestCodesHaveOutcomes(t *testing.T) {
	source, err := os.ReadFile("../graph/apierror/codes.go")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`= "([A-Z_]+)"`).FindAllSubmatch(source, -1)
	if len(found) < 19 {
		t.Fatalf("found only %d codes", len(found))
	}
	for _, match := range found {
		code := apierror.Code(match[1])
		if _, listed := outcomes[code]; listed == (code == apierror.Internal) {
			t.Errorf("%s: listed %v", code, listed)
		}
	}
}

// TestOutcomesOfCalls: the outcome depends on why a call failed, also if its code is the same.
func TestOutcomesOfCalls(t *testing.T) {
	for name, tt := range map[string]struct {
		kind  upstream.Kind
		cause error
		want  Outcome
	}{
		"cancelled":             {upstream.KindCanceled, nil, OutcomeClient},
		"the client's deadline": {upstream.KindClientDeadline, nil, OutcomeClient},
		"no time was left":      {upstream.KindOperationDeadline, nil, OutcomeOverloaded},
		"the queue is full":     {upstream.KindUnavailable, quota.ErrQueueFull, OutcomeOverloaded},
		"waited too long":       {upstream.KindUnavailable, quota.ErrQueueTimeout, OutcomeOverloaded},
		"not reachable":         {upstream.KindUnavailable, errors.New("connection refused"), OutcomeUpstream},
		"a bug":                 {upstream.KindInternal, nil, OutcomeGateway},
	} {
		if got := outcomeOf(graph.Describe(&upstream.Error{Service: upstream.Core, Kind: tt.kind, Err: tt.cause})); got != tt.want {
			t.Errorf("%s: %s, want %s", name, Outcomes()[got], Outcomes()[tt.want])
		}
	}
}
