// Package upstream describes what the two read-only REST APIs behind the gateway send and accept by the spec: core
// (deposits, withdrawals, transactions) and dispatcher (notifications).
//
// A record is kept as the bytes that the API sent, and its members are read one by one. So no value is changed, and
// a record that breaks the contract does not make its page fail. The package makes no calls; package upstream/client
// does. It does not know GraphQL.
//
// Read first: raw.go and read.go, then contract.generated.go, which has the kinds of records and the filters.
package upstream
