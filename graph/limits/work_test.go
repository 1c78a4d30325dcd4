package limits_test

import (
	"os"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/graph/limits"
)

// TestSteps holds the count of steps to what it says: 5 for each visit of a node in each walk, 1 or more for each field that is
// looked at for merging, 1 for each pair.
func TestSteps(t *testing.T) {
	tests := []struct {
		name, document string
		want           int
	}{
		{"a field", "{a}", 5*2 + 2},
		{"a field twice", "{a a}", 5*3 + 2*2 + 1},
		{"a field thrice", "{a a a}", 5*4 + 3*2 + 3},
		{"different fields", "{a b c}", 5*4 + 3*2},
		{"an argument", "{a(b:1)}", 5*3 + 1 + 3},
		{"merged below", "{a{b}a{b}}", 5*5 + (2*2 + 1) + (2*2 + 1)},
		{"a fragment is walked twice", "{...f}fragment f on Q{a}", 5*(2+2+2) + 1 + 2 + 2},
		{"its inline fragments in each walk", "{...f}fragment f on Q{...{a a}}", 5*(2+4+4) + (2 + 2*2 + 1) + (1 + 2*2 + 1) + (2*2 + 2*1)},
		{"pairs of spreads", "{...f ...f ...f ...f}fragment f on Q{a}", 5*(5+2+2) + (4 + 2 + 4*4/4) + 2},
	}
	l := newLimits(t, limits.Config{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if work, _ := l.WorkOf(t, tt.document); work.Steps != tt.want {
				t.Errorf("%d steps, want %d", work.Steps, tt.want)
			}
		})
	}
}

// TestMeasuringIsLinear compares what is visited for a document with what is visited for one ten times as long.
func TestMeasuringIsLinear(t *testing.T) {
	l := newLimits(t, limits.Config{})
	tests := []struct {
		name     string
		document func(n int) string
	}{
		{"one field", func(n int) string { return "{" + strings.Repeat("a ", n) + "}" }},
		{"deep", func(n int) string { return strings.Repeat("{a", n) + strings.Repeat("}", n) }},
		{"chain", func(n int) string { return chain(n, "$ a") }},
		{"doubling", func(n int) string { return chain(n, "a{$} b{$}") }},
		{"spreads of one fragment", func(n int) string { return "{" + strings.Repeat("...f ", n) + "}fragment f on Query{a}" }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			small, _ := l.WorkOf(t, tt.document(30))
			big, size := l.WorkOf(t, tt.document(300))
			if big.Nodes > 11*small.Nodes {
				t.Errorf("%d nodes visited for 30, %d for 300", small.Nodes, big.Nodes)
			}
			if tt.name == "doubling" && size.Fields != 1<<63-1 {
				t.Errorf("2^300 fields counted as %d", size.Fields)
			}
		})
	}
}

// TestWorkEndsAtTheLimit: what is too much is given up, not measured to its end.
func TestWorkEndsAtTheLimit(t *testing.T) {
	l := newLimits(t, limits.Config{Tokens: 1 << 20, Bytes: 1 << 20, Definitions: 1 << 20, Fields: 1<<63 - 1, Aliases: 1<<63 - 1, Depth: 1000, Nesting: 1000})
	for _, document := range []string{chain(60, "a{$} b{$}"), chain(60, "...{$} ...{$}"), web(200)} {
		if got := exceeded(t, check(l, document)); got != limits.LimitValidation {
			t.Errorf("refused by %q", got)
		}
	}
}

// TestFragmentsOfNothing: fragments that double at each level and end in one that is missing have no field to count.
func TestFragmentsOfNothing(t *testing.T) {
	l := newLimits(t, limits.Config{})
	must(t, check(l, strings.ReplaceAll(chain(25, "$ $ $"), "{id id id}", "{...missing}")))
}

func TestKnownDocumentsAreNotMeasured(t *testing.T) {
	text, err := os.ReadFile("testdata/introspection.graphql")
	must(t, err)
	params := &graphql.RawParams{Query: string(text)}
	l := newLimits(t, limits.Config{Tokens: 1, Known: func(known string) bool { return known == params.Query }})
	must(t, check(l, params.Query))
	if allocations := testing.AllocsPerRun(100, func() { _ = l.MutateOperationParameters(t.Context(), params) }); allocations > 0 {
		t.Errorf("%v allocations for a document that is known", allocations)
	}
	if got := exceeded(t, check(l, "{a b}")); got != limits.LimitTokens {
		t.Errorf("another document is refused by %q, want %q", got, limits.LimitTokens)
	}
}

func TestConfigIsChecked(t *testing.T) {
	tests := []struct {
		name   string
		config limits.Config
	}{
		{"negative", limits.Config{Depth: -1}},
		{"a rate without a burst", limits.Config{Rate: limits.RateConfig{PerAddress: limits.Rate{PerSecond: 1}}}},
		{"a negative rate", limits.Config{Rate: limits.RateConfig{PerAddress: limits.Rate{PerSecond: -1, Burst: 1}}}},
		{"addresses without a key", limits.Config{Rate: limits.RateConfig{PerAddress: limits.Rate{PerSecond: 1, Burst: 1}}}},
		{"identities without a name", limits.Config{Rate: limits.RateConfig{PerIdentity: limits.Rate{PerSecond: 1, Burst: 1}}}},
		{"negative buckets", limits.Config{Rate: limits.RateConfig{Buckets: -1}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := limits.New(tt.config); err == nil {
				t.Error("accepted")
			}
		})
	}
}
