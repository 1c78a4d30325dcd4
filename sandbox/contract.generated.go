// Code generated from docs/upstream-api.yaml by upstream/contract/generate. DO NOT EDIT.

package sandbox

import "pixgraph/sandbox/ledger"

// The routes, as in Fault.Route.
const (
	RouteDeposit      = "deposit"
	RouteWithdrawal   = "withdrawal"
	RouteTransaction  = "transaction"
	RouteNotification = "notification"
)

// operations returns the endpoints of spec 4, with their parameters in the order of the tables.
func operations() []operation {
	return []operation{
		{ // spec 4.1
			service: Core, segment: "deposit", kind: ledger.Deposit, invalid: true,
			query: []parameter{
				{name: "startDate", form: formDate, member: "createdAt", comparison: ">="},
				{name: "endDate", form: formDate, member: "createdAt", comparison: "<="},
				{name: "status", form: formList, allowed: []string{"PENDING", "PIX_QRCODE_GENERATED", "PAID", "PROCESSING_REFUND", "PROCESSING_INFRACTION", "REFUNDED", "INFRACTION", "FAILED", "BLOCKED", "DEPOSIT_PIXKEY_GENERATED", "PENDING_COMPLIANCE"}, member: "status"},
				{name: "minAmount", form: formInteger, min: 1, max: 10000000, member: "amount", comparison: ">="},
				{name: "maxAmount", form: formInteger, min: 1, max: 10000000, member: "amount", comparison: "<="},
				{name: "depositOrigin", form: formList, allowed: []string{"QRCODE", "PIX_KEY"}, member: "depositOrigin"},
			},
		},
		{ // spec 4.2
			service: Core, segment: "withdrawal", kind: ledger.Withdrawal, invalid: true,
			query: []parameter{
				{name: "startDate", form: formDate, member: "createdAt", comparison: ">="},
				{name: "endDate", form: formDate, member: "createdAt", comparison: "<="},
				{name: "status", form: formList, allowed: []string{"PENDING", "PROCESSING", "PROCESSED", "FAILED", "CANCELED", "REFUNDED", "REJECTED", "PENDING_COMPLIANCE"}, member: "status"},
				{name: "id", form: formUUIDv4, member: "id"},
				{name: "pixKey", form: formPixKey, member: "pixKey.key"},
				{name: "endToEnd", form: formText, min: 8, max: 255, member: "endToEnd"},
				{name: "endToEndRefund", form: formText, min: 8, max: 255, member: "endToEndRefund"},
				{name: "externalCode", form: formText, min: 8, max: 255, member: "externalCode"},
				{name: "minAmount", form: formInteger, min: 10, max: 10000000, member: "amount", comparison: ">="},
				{name: "maxAmount", form: formInteger, min: 10, max: 10000000, member: "amount", comparison: "<="},
			},
		},
		{ // spec 4.3
			service: Core, segment: "transaction", kind: ledger.Transaction, invalid: true,
			id: &parameter{name: "id", form: formUUID},
		},
		{ // spec 4.4
			service: Dispatcher, segment: "request", kind: ledger.Notification,
			id: &parameter{name: "id", form: formAny},
		},
	}
}
