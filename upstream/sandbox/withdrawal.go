package sandbox

import (
	"net/http"
	"slices"
	"strings"

	"pixgraph/upstream/sandbox/ledger"
)

// withdrawals handles spec 4.2.
func (s *Sandbox) withdrawals(r *http.Request) answer {
	return s.list(r, s.withdrawalTable, s.ledger.Withdrawals())
}

// withdrawalParameters is the table of spec 4.2, in the spec's order.
func withdrawalParameters(cfg Config) []parameter {
	return slices.Concat(
		dateParameters(cfg),
		[]parameter{
			{name: "status", form: formList, keep: oneOf(status), allowed: []string{
				"PENDING", "PROCESSING", "PROCESSED", "FAILED", "CANCELED", "REFUNDED", "REJECTED", "PENDING_COMPLIANCE",
			}},
			{name: "id", form: formUUIDv4, keep: func(e *ledger.Entry, v value) bool { return strings.EqualFold(e.ID, v.text) }},
			{name: "pixKey", form: formPixKey, keep: equal(pixKey)},
			{name: "endToEnd", form: formText, min: 8, max: 255, keep: equal(endToEnd)},
			{name: "endToEndRefund", form: formText, min: 8, max: 255, keep: equal(endToEndRefund)},
			{name: "externalCode", form: formText, min: 8, max: 255, keep: equal(externalCode)},
		},
		amountParameters(10),
		pageParameters(cfg),
	)
}
