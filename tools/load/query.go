package main

import (
	"bytes"
	"embed"
	"fmt"
	"slices"

	"pixgraph/sandbox/ledger"
)

//go:embed queries bench.md.tmpl
var files embed.FS

// document returns the text of a document in queries.
func document(name string) string {
	text, err := files.ReadFile("queries/" + name + ".graphql")
	if err != nil {
		panic(err) // the name is a constant
	}
	return string(text)
}

// query is a document that is measured, with the sets of variables that it is sent with.
type query struct {
	name, title  string // Q1 to Q5, and a short description
	sets         []set
	floor, proxy float64 // targets for the ratios of the gateway's processor time to theirs; 0 for none
}

// set is the variables of a request, and the upstream calls that it causes: the calls of a round at the same time, the
// rounds one after the other.
type set struct {
	variables map[string]any
	calls     [][]string
}

// newQueries returns the queries, with the given number of sets of variables each, over the records of a ledger.
func newQueries(l *ledger.Ledger, sets int) ([]query, *apis) {
	const uuid = 36 // bytes of its text; references of another length do not lead to a payment
	notifications := slices.DeleteFunc(slices.Clone(l.Notifications()), func(e *ledger.Entry) bool { return len(e.Text("referenceId")) != uuid })
	a := &apis{l.Transactions()[:sets], notifications[:sets*notificationsPer], map[string]script{}}
	page := []set{{calls: [][]string{{a.page("deposit", l.Deposits(), 100)}}}}
	deposits, withdrawals := a.page("deposit", l.Deposits(), 20), a.page("withdrawal", l.Withdrawals(), 20)
	one, linked, mixed := make([]set, sets), make([]set, sets), make([]set, sets)
	for i := range sets {
		transaction, call := a.transaction(i)
		notification, other := a.notification(i/notificationsPer, i%notificationsPer)
		one[i] = set{map[string]any{"id": transaction}, [][]string{{call}}}
		linked[i] = a.linkedNotifications(i)
		mixed[i] = set{map[string]any{"transaction": transaction, "notification": notification}, [][]string{{deposits, withdrawals, call, other}}}
	}
	return []query{
		{"Q1", "1 transaction", one, 1.6, 0},
		{"Q2", "100 × 6 fields", page, 5, 2.2},
		{"Q3", "100 × all fields", page, 5, 0},
		{"Q4", "20 links", linked, 2.2, 0},
		{"Q5", "4 root fields", mixed, 2.6, 0},
	}, a
}

// notificationsPer is the number of notifications of a transaction. A ledger has enough notifications if it has
// recordsPer records for each transaction that is used.
const notificationsPer, recordsPer = 4, 8

// apis has the responses of the stand-in for the two APIs: records of the sandbox's ledger.
type apis struct {
	transactions, notifications []*ledger.Entry
	responses                   map[string]script // by request target
}

// transaction returns the id of a transaction and the target of its call.
func (a *apis) transaction(i int) (id, target string) {
	id = a.transactions[i].ID
	target = coreBase + "/transaction/" + id
	a.responses[target] = script{Response: a.transactions[i].JSON()}
	return id, target
}

// notification returns the id of the n-th notification of a transaction and the target of its call.
func (a *apis) notification(of, n int) (id, target string) {
	e := a.notifications[of*notificationsPer+n]
	target = dispatcherBase + "/request/" + e.ID
	a.responses[target] = script{Response: bytes.ReplaceAll(e.JSON(), []byte(e.Text("referenceId")), []byte(a.transactions[of].ID))}
	return e.ID, target
}

// page returns the target of the call of a list, whose response is the first of five pages (spec 4.1, 4.2). The page
// has the largest records: smaller ones lack optional fields or have a small QR code, while real deposits have about 5
// KB.
func (a *apis) page(list string, entries []*ledger.Entry, size int) (target string) {
	entries = slices.Clone(entries[:min(500, len(entries))]) // drawing the QR codes of a thousand takes half a second
	slices.SortStableFunc(entries, func(a, b *ledger.Entry) int { return len(b.JSON()) - len(a.JSON()) })
	records := make([][]byte, size)
	for i := range records {
		records[i] = entries[i].JSON()
	}
	target = fmt.Sprintf("%s/%s?perPage=%d", coreBase, list, size)
	a.responses[target] = script{Response: fmt.Appendf(nil, `{"total":%d,"totalPages":5,"currentPage":1,"perPage":%d,"data":[%s]}`,
		5*size, size, bytes.Join(records, []byte(",")))}
	return target
}

// linkedNotifications returns a set that requests the notifications of five transactions, one of each in turn, like the
// webhooks of payments that are made at the same time.
func (a *apis) linkedNotifications(i int) set {
	const transactions = 5
	s := set{map[string]any{}, make([][]string, 2)}
	for n := range transactions * notificationsPer {
		of := (i + n%transactions) % len(a.transactions)
		id, call := a.notification(of, n/transactions)
		s.variables[fmt.Sprintf("n%d", n)] = id
		s.calls[0] = append(s.calls[0], call)
		if n < transactions {
			_, call = a.transaction(of)
			s.calls[1] = append(s.calls[1], call)
		}
	}
	return s
}
