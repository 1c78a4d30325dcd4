// Code generated from docs/upstream-api.yaml by upstream/contract/generate. DO NOT EDIT.

package ledger

// The kinds of record, one for each resource of spec 2.
const (
	Deposit Kind = iota
	Withdrawal
	Transaction
	Notification
	kinds // the number of kinds
)

// names are the kinds in the singular.
var names = [kinds]string{"deposit", "withdrawal", "transaction", "notification"}
