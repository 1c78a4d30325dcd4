package serve_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// session is a document with several operations, and requests that run them.
type session struct {
	document   string
	operations map[string]string // each operation and the fragments, by the operation's name
	requests   []sessionRequest
}

// sessionRequest runs one operation of a document.
type sessionRequest struct {
	document  string
	operation string // operationName; empty for none
	variables map[string]any
	get       bool
	hash      hashing
}

// hashing is the way in which a request names its document.
type hashing int

const (
	byText        hashing = iota
	byTextAndHash         // the text with its hash, which registers the document
	byHash                // only the hash
)

// sessionVariables are the variables of every operation of a session: Booleans for @skip and @include with and without
// a default, and arguments with a default. Each operation has its own defaults and its own order of variables.
var sessionVariables = []struct {
	name, typeName string
	defaults       []string // from which one is chosen; empty for no default
	values         []any    // from which a request chooses
}{
	{"yes", "Boolean!", []string{"", "true", "false"}, []any{true, true, false}},
	{"no", "Boolean", []string{"false", "true"}, []any{true, false, nil}},
	{"maybe", "Boolean!", []string{"", "true", "false"}, []any{true, false, nil}},
	{"t", "ID!", []string{fmt.Sprintf("%q", transactionA), fmt.Sprintf("%q", transactionB)}, []any{transactionA, transactionB, "x"}},
	{"n", "Int", []string{"", "2", "null"}, []any{1, 2, 3, nil, 0}},
}

// sharedFields are fields for fragments on Query, whose arguments are variables.
var sharedFields = []struct{ call, typeName string }{
	{"deposits(first: $n)", "DepositConnection"}, {"withdrawals(perPage: $n)", "WithdrawalConnection"},
	{"transaction(id: $t)", "Transaction"}, {"transactions(ids: [$t])", "Transaction"},
}

// session generates a document with two to four operations, and seven to thirteen requests.
func (g generator) session() session {
	q := query{generator: g, fragments: map[string]string{}}
	shared := 1 + g.IntN(2)
	for i := range shared {
		var fields []string
		for j := range 1 + g.IntN(2) {
			field := sharedFields[g.IntN(len(sharedFields))]
			fields = append(fields, fmt.Sprintf("s%d_%d: %s%s { %s }", i, j, field.call, q.directive(), q.selection(field.typeName, 3)))
		}
		name := fmt.Sprintf("S%d", i)
		q.fragments[name] = fmt.Sprintf("fragment %s on Query { %s }", name, strings.Join(fields, " "))
	}
	names := []string{"A", "B", "C", "D"}[:2+g.IntN(3)]
	s := session{operations: map[string]string{}}
	for _, name := range names {
		root, spreads := roots[g.IntN(len(roots))], ""
		for i := range shared {
			spreads += fmt.Sprintf(" ...S%d%s", i, q.directive())
		}
		// Every operation uses every variable.
		s.operations[name] = fmt.Sprintf(
			"query %s(%s) { used: __typename @include(if: $yes) @skip(if: $no) skipped: __typename @skip(if: $maybe) "+
				"one: transaction(id: $t) { id } page: deposits(first: $n) { perPage } own: %s%s { %s }%s }",
			name, g.definitions(), root.call, q.directive(), q.selection(root.typeName, 2), spreads)
	}
	all := slices.Concat(slices.Collect(maps.Values(s.operations)), slices.Collect(maps.Values(q.fragments)))
	slices.Sort(all)
	g.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	s.document = strings.Join(all, " ")
	for _, name := range names {
		s.operations[name] += reached(s.operations[name], q.fragments)
	}
	// The first request registers the document by its hash.
	s.requests = []sessionRequest{{
		document: s.document, operation: "A", hash: byTextAndHash,
		variables: map[string]any{"yes": true, "no": false, "maybe": false, "t": transactionA, "n": 1},
	}}
	for range 6 + g.IntN(7) {
		r := sessionRequest{
			document: s.document, operation: names[g.IntN(len(names))], variables: g.given(), get: g.IntN(3) == 0, hash: hashing(g.IntN(3)),
		}
		if g.IntN(20) == 0 {
			r.operation = []string{"", "a", "E", "S0"}[g.IntN(4)] // not in the document
		}
		s.requests = append(s.requests, r)
	}
	return s
}

// definitions writes the definitions of the variables in random order with random defaults.
func (g generator) definitions() string {
	var parts []string
	for _, i := range g.Perm(len(sessionVariables)) {
		variable := sessionVariables[i]
		part := fmt.Sprintf("$%s: %s", variable.name, variable.typeName)
		if value := variable.defaults[g.IntN(len(variable.defaults))]; value != "" {
			part += " = " + value
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// given generates the variables of a request, each with a value or absent.
func (g generator) given() map[string]any {
	given := map[string]any{}
	for _, variable := range sessionVariables {
		value := variable.values[g.IntN(len(variable.values))]
		if absent := g.IntN(4) == 0; !absent && (value != nil || g.IntN(3) == 0) {
			given[variable.name] = value
		}
	}
	return given
}

var spread = regexp.MustCompile(`\.\.\.(\w+)`)

// reached is the text of the fragments that a text spreads, directly or through other fragments.
func reached(text string, fragments map[string]string) string {
	found, texts := map[string]bool{}, ""
	for pending := []string{text}; len(pending) > 0; pending = pending[1:] {
		for _, match := range spread.FindAllStringSubmatch(pending[0], -1) {
			if name := match[1]; !found[name] {
				found[name] = true
				texts += " " + fragments[name]
				pending = append(pending, fragments[name])
			}
		}
	}
	return texts
}

// alone is a request for the same operation in a document with no other operation. The operation is renamed, so that no
// cache has the text.
func (s session) alone(r sessionRequest, index int) sessionRequest {
	text, known := s.operations[r.operation]
	if !known {
		return r
	}
	name := fmt.Sprintf("Alone%d", index)
	text = strings.Replace(text, "query "+r.operation, "query "+name, 1)
	return sessionRequest{document: text, operation: name, variables: r.variables}
}

// run sends a request to a gateway and returns the body of the response. Each request has its own token, so it has no
// links that an earlier one has learned.
func (d *differential) run(r sessionRequest, handler http.Handler) []byte {
	d.mu.Lock()
	d.tokens++
	token := fmt.Sprint("session-", d.tokens)
	d.mu.Unlock()
	members := map[string]any{"variables": r.variables, "operationName": r.operation}
	if r.hash != byText {
		sum := sha256.Sum256([]byte(r.document))
		members["extensions"] = map[string]any{"persistedQuery": map[string]any{"version": 1, "sha256Hash": hex.EncodeToString(sum[:])}}
	}
	if r.hash != byHash {
		members["query"] = r.document
	}
	if !r.get {
		body, err := json.Marshal(members)
		if err != nil {
			panic(err) // the values are those of sessionVariables
		}
		return send(handler, token, body)
	}
	parameters := url.Values{}
	for name, value := range members {
		text, isText := value.(string)
		if !isText {
			encoded, err := json.Marshal(value)
			if err != nil {
				panic(err)
			}
			text = string(encoded)
		}
		parameters.Set(name, text)
	}
	req := httptest.NewRequest(http.MethodGet, "/graphql?"+parameters.Encode(), nil)
	req.Header = http.Header{"Authorization": {"Bearer " + token}, "X-Request-Id": {"r"}}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, req)
	return w.Body.Bytes()
}
