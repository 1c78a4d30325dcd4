package serve_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// subscription is a generated subscription, and the query of the same name.
type subscription struct {
	document, query string
	variables       variables // of both
	key             string    // the response key of the field
}

// subscriptions are the fields of subscriptions, with a field that shows the stage.
var subscriptions = []struct{ name, arguments, until, typeName, stage string }{
	{"deposits", `filter: $deposits, perPage: $size`, "", "DepositConnection", "totalCount"},
	{"withdrawals", `page: 1, perPage: $size`, "", "WithdrawalConnection", "totalCount"},
	{"transaction", `id: $transaction`, "TransactionStatus", "Transaction", "feeAmount"},
	{"withdrawal", fmt.Sprintf("id: %q", withdrawalA), "WithdrawalStatus", "Withdrawal", "feeAmount"},
	{"notification", fmt.Sprintf("id: %q", notificationA), "NotificationStatus", "Notification", "error"},
}

// untils are statuses to wait for, some of which records have.
var untils = map[string][]string{
	"TransactionStatus":  {"PAID", "REFUNDED", "BLOCKED"},
	"WithdrawalStatus":   {"PROCESSED", "REJECTED"},
	"NotificationStatus": {"SENT", "ERROR"},
}

// subscription generates a subscription and its query.
func (g generator) subscription() subscription {
	q := query{generator: g, fragments: map[string]string{}}
	root := subscriptions[g.IntN(len(subscriptions))]
	s := subscription{key: root.name, variables: variables{
		"yes": true, "maybe": g.IntN(2) == 0, "size": 20, "transaction": transactionA, "deposits": variables{"minAmount": 1},
	}}
	alias := ""
	if g.IntN(2) == 0 {
		s.key = "payment"
		alias = "payment: "
	}
	selection := fmt.Sprintf(`{ stage: %s a: __typename @include(if: $yes) @skip(if: $no) b: __typename @skip(if: $maybe) %s }`,
		root.stage, q.selection(root.typeName, 0))
	declared, arguments := "", root.arguments
	for _, variable := range []string{"$size: Int", "$transaction: ID!", "$deposits: DepositFilter"} {
		if name, _, _ := strings.Cut(variable, ":"); strings.Contains(arguments, name) {
			declared += ", " + variable
		}
	}
	var only []string // what the query does not have
	if root.until != "" && g.IntN(2) == 0 {
		only = []string{fmt.Sprintf(", $until: [%s!]", root.until), `, until: $until, since: "2024-01-01T00:00:00Z"`}
		s.variables["until"] = untils[root.until]
		declared += only[0]
		arguments += only[1]
	}
	field := fmt.Sprintf("%s%s(%s) %s", alias, root.name, arguments, selection)
	switch g.IntN(4) {
	case 0:
		field = "... { " + field + " }"
	case 1:
		q.fragments["Root"] = fmt.Sprintf("fragment Root on Subscription { %s }", field)
		field = "...Root"
	}
	s.document = fmt.Sprintf("subscription($yes: Boolean!, $no: Boolean = false, $maybe: Boolean!%s) { %s }", declared, field)
	s.document += q.texts()
	s.query = strings.Replace(s.document, "subscription", pad("query", "subscription"), 1)
	s.query = strings.Replace(s.query, "on Subscription", pad("on Query", "on Subscription"), 1)
	for _, text := range only {
		s.query = strings.Replace(s.query, text, pad("", text), 1)
	}
	return s
}

// pad appends spaces to a text, so that it takes the place of another one, and errors have the same locations.
func pad(text, other string) string { return text + strings.Repeat(" ", len(other)-len(text)) }

// responses are the stand-in's responses, some of which are failures.
func (g generator) responses() map[string][]byte {
	bodies := g.bodies()
	for _, path := range slices.Sorted(maps.Keys(bodies)) {
		if g.IntN(25) == 0 {
			bodies[path] = nil
		}
	}
	return bodies
}

// unusable are responses that end every stream: no record, another page, or one that is too large.
func unusable() map[string][]byte {
	return map[string][]byte{
		"/deposit":    []byte(`{"total":1,"totalPages":1,"currentPage":1,"perPage":0,"data":[{}]}`),
		"/withdrawal": []byte(`{"total":0,"totalPages":0,"currentPage":7,"perPage":20,"data":[]}`),
	}
}
