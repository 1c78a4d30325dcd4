package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"
)

//go:embed queries
var documents embed.FS

// query is one of the questions, with the different variables it is asked with.
type query struct {
	name     string // Q1 to Q5
	title    string // what it asks for
	short    string // the same, below a bar of the chart
	document string
	sets     []set
	targets  targets
}

// set is the variables of one request, and the upstream calls they lead to: those of a round at once, the rounds after
// each other.
type set struct {
	variables map[string]string
	rounds    [][]string
}

// calls is how many upstream calls a request takes at least.
func (q query) calls() int {
	count := 0
	for _, round := range q.sets[0].rounds {
		count += len(round)
	}
	return count
}

// targets are the ratios of processor time that the gateway is held to; 0 where there is none.
type targets struct {
	floor     float64 // at 16 and 64 connections
	reference float64
	proxy     float64
}

// wide is the query that memory is measured with.
const wide = "Q3"

// linked is the query that is asked of APIs that take their time.
const linked = "Q4"

// newQueries makes the queries over the records.
func newQueries(r records) ([]query, error) {
	page := []set{{rounds: [][]string{{depositsPath(widePage)}}}}
	all := []query{
		{name: "Q1", title: "1 transaction, 8 fields and payer { name document }", short: "1 transaction", targets: targets{floor: 1.6}},
		{name: "Q2", title: "100 deposits, 6 fields", short: "100 × 6 fields", sets: page, targets: targets{floor: 5, reference: 0.12, proxy: 2.2}},
		{name: "Q3", title: "100 deposits, all fields", short: "100 × all fields", sets: page, targets: targets{floor: 5, reference: 0.12}},
		{name: "Q4", title: "20 notifications and their 5 transactions", short: "20 links", targets: targets{floor: 2.2}},
		{name: "Q5", title: "20 deposits, 20 withdrawals, 1 transaction, 1 notification", short: "4 root fields", targets: targets{floor: 2.6}},
	}
	for i := range r.sets {
		all[0].sets = append(all[0].sets, r.oneTransaction(i))
		all[3].sets = append(all[3].sets, r.linkedNotifications(i))
		all[4].sets = append(all[4].sets, r.mixed(i))
	}
	for i := range all {
		text, err := documents.ReadFile("queries/" + strings.ToLower(all[i].name) + ".graphql")
		if err != nil {
			return nil, err
		}
		all[i].document = string(text)
	}
	return all, nil
}

func (r records) oneTransaction(i int) set {
	id := r.transactions[i].ID
	return set{map[string]string{"id": id}, [][]string{{transactionPath(id)}}}
}

// linkedNotifications are those of five transactions, taken in turns, as the webhooks of payments that happen at the same
// time are.
func (r records) linkedNotifications(i int) set {
	const transactions = 5
	s := set{map[string]string{}, make([][]string, 2)}
	for n := range transactions * notificationsPer {
		of := (i + n%transactions) % r.sets
		id := r.notifications[of*notificationsPer+n/transactions].ID
		s.variables[fmt.Sprintf("n%d", n)] = id
		s.rounds[0] = append(s.rounds[0], notificationPath(id))
		if n < transactions {
			s.rounds[1] = append(s.rounds[1], transactionPath(r.transactions[of].ID))
		}
	}
	return s
}

func (r records) mixed(i int) set {
	transaction, notification := r.transactions[i].ID, r.notifications[i].ID
	return set{
		map[string]string{"transaction": transaction, "notification": notification},
		[][]string{{
			depositsPath(narrowPage), withdrawalsPath(narrowPage), transactionPath(transaction), notificationPath(notification),
		}},
	}
}

// post renders a request of the gateway for a path.
func (q query) post(path, token string, s set) ([]byte, error) {
	body, err := json.Marshal(struct {
		Query     string            `json:"query"`
		Variables map[string]string `json:"variables,omitempty"`
	}{q.document, s.variables})
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil,
		"POST %s HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		path, token, len(body), body), nil
}

// get renders a request of the proxy.
func get(target, token string) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer %s\r\n\r\n", target, token)
}
