// Package upstream describes what the two read-only REST APIs behind the gateway send and accept, as the spec has it: core
// (deposits, withdrawals, transactions) and dispatcher (notifications).
//
// A record stays the bytes that the API sent, and each accessor reads one field of it. So no value is changed on the way, and
// a record that breaks the contract is one bad record, not a failed page. The package makes no calls: that is package
// upstream/client. It does not know GraphQL.
//
// Read first: deposit.go, then object.go.
package upstream
