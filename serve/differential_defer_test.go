package serve_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// TestPartsAreTheWhole: the parts of generated queries with @defer, over records with generated errors, join to their
// whole responses, in both formats.
func TestPartsAreTheWhole(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, pairs := newDifferential(t, true), *generatedCount
		first := firstSeed(t, "generated", pairs)
		sent, inParts, failed := 0, 0, 0
		for i := range pairs {
			one, fragments := d.wantParts(t, first+uint64(i))
			sent += 2
			inParts += one
			failed += fragments
		}
		t.Logf("%d of %d responses in parts, %d failed fragments", inParts, sent, failed)
		if pairs >= enoughGenerated && (inParts < sent/20 || inParts == sent) {
			t.Error("want responses in parts, and whole ones")
		}
	})
}

// links are the fields of types that lead to other records, or to objects with them.
var links = map[string]map[string]string{
	"Query": {
		fmt.Sprintf("transaction(id: %q)", transactionA):                                         "Transaction",
		fmt.Sprintf("transactions(ids: [%q, %q, %q])", transactionA, transactionB, "x"):          "Transaction",
		fmt.Sprintf("notification(id: %q)", notificationA):                                       "Notification",
		fmt.Sprintf("notifications(ids: [%q, %q, %q])", notificationA, notificationB, "unknown"): "Notification",
		"deposits": "DepositConnection", "withdrawals": "WithdrawalConnection",
	},
	"Transaction":              {fmt.Sprintf("notifications(ids: [%q, %q])", notificationA, notificationB): "TransactionNotifications"},
	"Notification":             {"transaction": "Transaction", "withdrawal": "Withdrawal"},
	"TransactionNotifications": {"nodes": "Notification", "links": "NotificationLink"},
	"NotificationLink":         {"notification": "Notification"},
}

// deferring generates a selection set with fragments that may be deferred, each with a mark.
func (q query) deferring(typeName string, depth int) string {
	var parts []string
	for call, leads := range sortedLinks(typeName) {
		if q.IntN(2) == 0 && depth > 0 || depth == 0 && q.IntN(4) > 0 || depth > 5 {
			continue
		}
		if typeName == "Query" {
			field, _, _ := strings.Cut(call, "(")
			call = fmt.Sprintf("%s%d: %s", field, q.IntN(2), call)
		}
		parts = append(parts, fmt.Sprintf("%s { %s }", call, q.deferring(leads, depth+1)))
	}
	if typeName != "Query" && q.IntN(4) > 0 {
		fields := q.d.schema.Types[typeName].Fields
		if field := fields[q.IntN(len(fields))]; q.d.schema.Types[field.Type.Name()].IsLeafType() {
			parts = append(parts, field.Name+q.directive())
		}
	}
	for depth < 5 && len(q.fragments) < 20 && q.IntN(3) > 0 {
		set, directive := q.deferring(typeName, depth+1), ""
		if links[typeName] != nil {
			directive = mark
		}
		spread := fmt.Sprintf("... on %s%s%s { %s }", typeName, directive, q.directive(), set)
		if again := q.fragmentsOn(typeName); len(again) > 0 && q.IntN(2) == 0 {
			parts = append(parts, fmt.Sprintf("...%s%s%s", again[q.IntN(len(again))], directive, q.directive()))
		}
		if q.IntN(3) == 0 {
			name := fmt.Sprintf("F%d", len(q.fragments))
			q.fragments[name] = fmt.Sprintf("fragment %s on %s { %s }", name, typeName, set)
			spread = fmt.Sprintf("...%s%s%s", name, directive, q.directive())
		}
		parts = append(parts, spread)
	}
	if len(parts) == 0 {
		return "__typename"
	}
	q.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	return strings.Join(parts, " ")
}

// fragmentsOn returns the names of the fragments on a type.
func (q query) fragmentsOn(typeName string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(q.fragments)) {
		if strings.HasPrefix(q.fragments[name], fmt.Sprintf("fragment %s on %s {", name, typeName)) {
			names = append(names, name)
		}
	}
	return names
}

// mark is where a fragment may be deferred.
const mark = " @mark"

// chosen replaces five marks at most by @defer, and removes the others.
func (q query) chosen(document string) string {
	parts := strings.Split(document, mark)
	for n, i := range q.Perm(len(parts) - 1) {
		if n < 5 {
			label := fmt.Sprintf("(label: \"l%d\")", n)
			parts[i] += " @defer" + []string{"", "", label, label, "(if: $yes)", "(if: $maybe)", "(if: false)"}[q.IntN(7)]
		}
	}
	return strings.Join(parts, "")
}

// sortedLinks yields the links of a type in a fixed order.
func sortedLinks(typeName string) func(yield func(string, string) bool) {
	return func(yield func(string, string) bool) {
		for _, call := range slices.Sorted(maps.Keys(links[typeName])) {
			if !yield(call, links[typeName][call]) {
				return
			}
		}
	}
}

// wantParts generates a query with @defer, and fails the test unless its parts join to its whole response. It returns
// the number of responses in parts, and of failed fragments in them.
func (d *differential) wantParts(t testing.TB, seed uint64) (inParts, failed int) {
	t.Helper()
	g := newGenerator(seed, 11, d)
	q := query{generator: g, fragments: map[string]string{}}
	document := "query($yes: Boolean!, $no: Boolean = false, $maybe: Boolean!) { a: __typename @include(if: $yes) b: __typename @skip(if: $no) " +
		"c: __typename @skip(if: $maybe) " + q.deferring("Query", 0) + " }"
	document = q.chosen(document + q.texts())
	d.mu.Lock()
	d.bodies = g.bodies()
	d.mu.Unlock()
	body, err := json.Marshal(map[string]any{"query": document, "variables": map[string]any{"yes": true, "maybe": g.IntN(2) == 0}})
	must(t, err)
	whole := send(d.other, fmt.Sprint("w-", seed), body)
	if bytes.Contains(whole, []byte("GRAPHQL_VALIDATION_FAILED")) {
		if !bytes.Contains(whole, []byte("conflict")) {
			t.Fatalf("seed %d: %s: %s", seed, document, whole)
		}
		return 0, 0
	}
	for i, accept := range []string{acceptV02, acceptV01} {
		r := httptest.NewRequest(http.MethodPost, "/graphql", bytes.NewReader(body))
		r.Header = http.Header{
			"Authorization": {fmt.Sprintf("Bearer p-%d-%d", seed, i)}, "Content-Type": {"application/json"},
			"X-Request-Id": {"r"}, "Accept": {accept},
		}
		w := httptest.NewRecorder()
		d.one.ServeHTTP(w, r)
		if contentType := w.Header().Get("Content-Type"); strings.HasPrefix(contentType, "multipart") {
			inParts++
			text := w.Body.String()
			all := join(t, incrementalParts(t, contentType, w.Body))
			failed += len(all.failed)
			if wantJoined(t, all, whole); t.Failed() {
				t.Fatalf("seed %d, %s\nquery  %s\nparts  %s\nwhole  %s\nbodies %s", seed, accept, body, text, whole, d.bodies)
			}
		}
	}
	return inParts, failed
}
