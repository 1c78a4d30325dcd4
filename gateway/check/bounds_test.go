package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pixgraph/gateway/check"
	"pixgraph/graph/guard/limits"
)

// TestManyInvalidOperations: the time does not grow with the square of their number, and what is reported is bounded.
func TestManyInvalidOperations(t *testing.T) {
	const million = 1_000_000
	tooMany := []string{"a:10001:1: the file has more than 10000 operations and fragments"}
	if got := run(t, limits.Config{}, "a", strings.Repeat("{a}\n", million)); !slices.Equal(got, tooMany) {
		t.Errorf("%d lines, %.300q", len(got), got)
	}
	var named, manifest strings.Builder
	named.WriteString("query E { pixKey(text: \"\\ud800\") { __typename } }\n")
	for i := range 9_000 {
		fmt.Fprintf(&named, "query Q%d { __typename } # %s\n", i, strings.Repeat("x", 400))
	}
	const half = "a:1:25: Expected a string of whole characters, found half a surrogate pair."
	if got := run(t, limits.Config{}, "a", named.String()); len(got) != 9_001 || got[9_000] != half {
		t.Errorf("%d lines, the last is %q", len(got), got[len(got)-1])
	}
	for i := range 2 * check.MaxProblems {
		fmt.Fprintf(&manifest, ",\"%d\": \"{a}\"", i)
	}
	if got := run(t, limits.Config{}, "m", "{"+manifest.String()[1:]+"}"); len(got) != check.MaxProblems {
		t.Errorf("%d problems of a manifest", len(got))
	}
}

// TestHalfPairs: a string with half a surrogate pair rejects its own operation only, also if it is in a fragment.
func TestHalfPairs(t *testing.T) {
	got := run(t, limits.Config{}, "a", "query A { __typename }\nquery B { ...F }", "b", "fragment F on Query { pixKey(text: \"\\udc00\") { __typename } }")
	want := []string{"query A (a:1:1): upstream calls: 0", "b:1:37: Expected a string of whole characters, found half a surrogate pair."}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
