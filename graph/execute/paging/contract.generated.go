// Code generated from docs/upstream-api.yaml by upstream/contract/generate. DO NOT EDIT.

package paging

import "pixgraph/upstream"

// The names that the schema uses for connections and edges.
type (
	DepositConnection    = Connection[upstream.Deposit]
	DepositEdge          = Edge[upstream.Deposit]
	WithdrawalConnection = Connection[upstream.Withdrawal]
	WithdrawalEdge       = Edge[upstream.Withdrawal]
)
