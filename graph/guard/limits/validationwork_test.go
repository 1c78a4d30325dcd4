package limits_test

import (
	"strings"
	"testing"

	"pixgraph/graph/guard/limits"
)

// TestSteps: the steps of validation are 5 for each visit of a node in each walk, 1 or more for each field that may be
// merged, and 1 for each pair of fields.
func TestSteps(t *testing.T) {
	tests := []struct {
		name, document string
		want           int
	}{
		{"a field", "{a}", 5*2 + 2},
		{"two equal fields", "{a a}", 5*3 + 2*2 + 1},
		{"three equal fields", "{a a a}", 5*4 + 3*2 + 3},
		{"different fields", "{a b c}", 5*4 + 3*2},
		{"an argument", "{a(b:1)}", 5*3 + 1 + 3},
		{"merged subfields", "{a{b}a{b}}", 5*5 + (2*2 + 1) + (2*2 + 1)},
		{"a fragment, which has two walks", "{...f}fragment f on Q{a}", 5*(2+2+2) + 1 + 2 + 2},
		{"inline fragments of a fragment", "{...f}fragment f on Q{...{a a}}", 5*(2+4+4) + (2 + 2*2 + 1) + (1 + 2*2 + 1) + (2*2 + 2*1)},
		{"pairs of spreads", "{...f ...f ...f ...f}fragment f on Q{a}", 5*(5+2+2) + (4 + 2 + 4*4/4) + 2},
		{"pairs of names", "{...f ...g ...h ...i}", 5*5 + 4 + 4*4/4 + 4*4*3/4},
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

// TestMeasuringIsLinear: ten times the document needs ten times the work.
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

// TestWorkEndsAtLimit: measuring ends at the limit.
func TestWorkEndsAtLimit(t *testing.T) {
	l := newLimits(t, limits.Config{Tokens: 1 << 20, Bytes: 1 << 20, Fields: 1<<63 - 1, Depth: 1000})
	for _, document := range []string{chain(60, "a{$} b{$}"), chain(60, "...{$} ...{$}"), dense(200)} {
		if got := exceeded(t, check(l, document)); got != limits.LimitValidation {
			t.Errorf("rejected by %q", got)
		}
	}
}

// TestFragmentsWithoutFields: fragments that double at each level and end in an unknown one have no field to count.
func TestFragmentsWithoutFields(t *testing.T) {
	l := newLimits(t, limits.Config{})
	must(t, check(l, strings.ReplaceAll(chain(25, "$ $ $"), "{id id id}", "{...missing}")))
}

func TestInvalidConfig(t *testing.T) {
	tests := []struct {
		name   string
		config limits.Config
	}{
		{"a rate without a burst", limits.Config{Rate: limits.RateConfig{PerAddress: limits.Rate{PerSecond: 1}}}},
		{"a negative rate", limits.Config{Rate: limits.RateConfig{PerAddress: limits.Rate{PerSecond: -1, Burst: 1}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := limits.New(tt.config, loadSchema(t)); err == nil {
				t.Error("accepted")
			}
		})
	}
}
