package sandbox

import (
	"net/http"
	"slices"
)

// deposits handles spec 4.1.
func (s *Sandbox) deposits(r *http.Request) answer {
	return s.list(r, s.depositTable, s.ledger.Deposits())
}

// depositParameters is the table of spec 4.1. The order of the rows
// is that of the spec, and that of the violations in a response.
func depositParameters(cfg Config) []parameter {
	return slices.Concat(
		dateParameters(cfg),
		[]parameter{{name: "status", form: formList, keep: oneOf(status), allowed: []string{
			"PENDING", "PIX_QRCODE_GENERATED", "PAID", "PROCESSING_REFUND", "PROCESSING_INFRACTION", "REFUNDED",
			"INFRACTION", "FAILED", "BLOCKED", "DEPOSIT_PIXKEY_GENERATED", "PENDING_COMPLIANCE",
		}}},
		amountParameters(1),
		[]parameter{{name: "depositOrigin", form: formList, keep: oneOf(depositOrigin), allowed: []string{"QRCODE", "PIX_KEY"}}},
		pageParameters(cfg),
	)
}
