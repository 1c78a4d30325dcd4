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

// properties are the members that are texts, numbers or booleans, by kind.
var properties = [kinds][]property{
	Deposit: {
		{name: "id", values: []string{"\"7b0c1d9e-52f4-1b1a-1d53-0f6c8e7a2b31\""}, required: true},
		{name: "acquirerCode", values: []string{"\"texto\""}, nullable: true},
		{name: "acquirer", values: []string{"\"texto\""}, required: true},
		{name: "amount", values: []string{"5170"}, required: true},
		{name: "paymentMethod", values: []string{"\"PIX\""}, required: true},
		{name: "webhookUrl", values: []string{"\"texto\""}, nullable: true},
		{name: "externalCode", values: []string{"\"texto\""}, nullable: true},
		{name: "createdAt", values: []string{"\"2026-01-31T12:00:00Z\"", "\"2026-01-31T12:00:00.123-03:00\"", "\"2026-01-31T12:00\"", "\"2024-02-29T23:59:59+05:45\""}, required: true},
		{name: "status", values: []string{"\"PENDING\"", "\"PIX_QRCODE_GENERATED\"", "\"PAID\"", "\"PROCESSING_REFUND\"", "\"PROCESSING_INFRACTION\"", "\"REFUNDED\"", "\"INFRACTION\"", "\"FAILED\"", "\"BLOCKED\"", "\"DEPOSIT_PIXKEY_GENERATED\"", "\"PENDING_COMPLIANCE\""}, required: true},
		{name: "updatedAt", values: []string{"\"2026-01-31T12:00:00Z\"", "\"2026-01-31T12:00:00.123-03:00\"", "\"2026-01-31T12:00\"", "\"2024-02-29T23:59:59+05:45\""}, required: true},
		{name: "amountPaid", values: []string{"5170"}, nullable: true},
		{name: "paymentDate", values: []string{"\"2026-01-31T12:00:00Z\"", "\"2026-01-31T12:00:00.123-03:00\"", "\"2026-01-31T12:00\"", "\"2024-02-29T23:59:59+05:45\""}, nullable: true},
		{name: "refundDate", values: []string{"\"2026-01-31T12:00:00Z\"", "\"2026-01-31T12:00:00.123-03:00\"", "\"2026-01-31T12:00\"", "\"2024-02-29T23:59:59+05:45\""}, nullable: true},
		{name: "refundAmount", values: []string{"5170"}, nullable: true},
		{name: "errorMessage", values: []string{"\"texto\""}, nullable: true},
		{name: "errorMessageRefund", values: []string{"\"texto\""}, nullable: true},
		{name: "endToEnd", values: []string{"\"texto\""}, nullable: true},
		{name: "endToEndRefund", values: []string{"\"texto\""}, nullable: true},
		{name: "feeAmount", values: []string{"1", "2.5"}, nullable: true},
		{name: "depositOrigin", values: []string{"\"QRCODE\"", "\"PIX_KEY\""}, required: true},
	},
	Withdrawal: {
		{name: "id", values: []string{"\"7b0c1d9e-52f4-1b1a-1d53-0f6c8e7a2b31\""}, required: true},
		{name: "acquirerCode", values: []string{"\"texto\""}, nullable: true},
		{name: "acquirer", values: []string{"\"texto\""}, required: true},
		{name: "amount", values: []string{"5170"}, required: true},
		{name: "method", values: []string{"\"PIX\""}, required: true},
		{name: "webhookUrl", values: []string{"\"texto\""}, nullable: true},
		{name: "externalCode", values: []string{"\"texto\""}, nullable: true},
		{name: "createdAt", values: []string{"\"2026-01-31T12:00:00Z\"", "\"2026-01-31T12:00:00.123-03:00\"", "\"2026-01-31T12:00\"", "\"2024-02-29T23:59:59+05:45\""}, required: true},
		{name: "status", values: []string{"\"PENDING\"", "\"PROCESSING\"", "\"PROCESSED\"", "\"FAILED\"", "\"CANCELED\"", "\"REFUNDED\"", "\"REJECTED\"", "\"PENDING_COMPLIANCE\""}, required: true},
		{name: "updatedAt", values: []string{"\"2026-01-31T12:00:00Z\"", "\"2026-01-31T12:00:00.123-03:00\"", "\"2026-01-31T12:00\"", "\"2024-02-29T23:59:59+05:45\""}, required: true},
		{name: "amountWithdrawn", values: []string{"1", "2.5"}, nullable: true},
		{name: "processedDate", values: []string{"\"2026-01-31T12:00:00Z\"", "\"2026-01-31T12:00:00.123-03:00\"", "\"2026-01-31T12:00\"", "\"2024-02-29T23:59:59+05:45\""}, nullable: true},
		{name: "errorMessage", values: []string{"\"texto\""}, nullable: true},
		{name: "endToEnd", values: []string{"\"texto\""}, nullable: true},
		{name: "endToEndRefund", values: []string{"\"texto\""}, nullable: true},
		{name: "refundDate", values: []string{"\"2026-01-31T12:00:00Z\"", "\"2026-01-31T12:00:00.123-03:00\"", "\"2026-01-31T12:00\"", "\"2024-02-29T23:59:59+05:45\""}, nullable: true},
		{name: "refundAmount", values: []string{"5170"}, nullable: true},
		{name: "feeAmount", values: []string{"1", "2.5"}, nullable: true},
	},
	Transaction: {
		{name: "id", values: []string{"\"7b0c1d9e-52f4-1b1a-1d53-0f6c8e7a2b31\""}, required: true},
		{name: "acquirerCode", values: []string{"\"texto\""}, nullable: true},
		{name: "acquirer", values: []string{"\"texto\""}, required: true},
		{name: "amount", values: []string{"5170"}, required: true},
		{name: "paymentMethod", values: []string{"\"PIX\""}, required: true},
		{name: "webhookUrl", values: []string{"\"texto\""}, nullable: true},
		{name: "externalCode", values: []string{"\"texto\""}, nullable: true},
		{name: "isInfoProduct", values: []string{"true", "false"}, required: true},
		{name: "createdAt", values: []string{"\"2026-01-31T12:00:00Z\"", "\"2026-01-31T12:00:00.123-03:00\"", "\"2026-01-31T12:00\"", "\"2024-02-29T23:59:59+05:45\""}, required: true},
		{name: "status", values: []string{"\"PENDING\"", "\"PIX_QRCODE_GENERATED\"", "\"PAID\"", "\"PROCESSING_REFUND\"", "\"PROCESSING_INFRACTION\"", "\"REFUNDED\"", "\"INFRACTION\"", "\"FAILED\"", "\"BLOCKED\""}, required: true},
		{name: "updatedAt", values: []string{"\"2026-01-31T12:00:00Z\"", "\"2026-01-31T12:00:00.123-03:00\"", "\"2026-01-31T12:00\"", "\"2024-02-29T23:59:59+05:45\""}, required: true},
		{name: "amountPaid", values: []string{"5170"}, nullable: true},
		{name: "paymentDate", values: []string{"\"2026-01-31T12:00:00Z\"", "\"2026-01-31T12:00:00.123-03:00\"", "\"2026-01-31T12:00\"", "\"2024-02-29T23:59:59+05:45\""}, nullable: true},
		{name: "infractionDate", values: []string{"\"2026-01-31T12:00:00Z\"", "\"2026-01-31T12:00:00.123-03:00\"", "\"2026-01-31T12:00\"", "\"2024-02-29T23:59:59+05:45\""}, nullable: true},
		{name: "infractionAmount", values: []string{"5170"}, nullable: true},
		{name: "refundDate", values: []string{"\"2026-01-31T12:00:00Z\"", "\"2026-01-31T12:00:00.123-03:00\"", "\"2026-01-31T12:00\"", "\"2024-02-29T23:59:59+05:45\""}, nullable: true},
		{name: "refundAmount", values: []string{"5170"}, nullable: true},
		{name: "errorMessage", values: []string{"\"texto\""}, nullable: true},
		{name: "errorMessageRefund", values: []string{"\"texto\""}, nullable: true},
		{name: "endToEnd", values: []string{"\"texto\""}, nullable: true},
		{name: "endToEndRefund", values: []string{"\"texto\""}, nullable: true},
		{name: "feeAmount", values: []string{"1", "2.5"}, nullable: true},
	},
	Notification: {
		{name: "id", values: []string{"\"texto\""}, required: true},
		{name: "hash", values: []string{"\"texto\""}, required: true},
		{name: "tenant", values: []string{"\"texto\""}, required: true},
		{name: "url", values: []string{"\"texto\""}, required: true},
		{name: "referenceId", values: []string{"\"texto\""}, required: true},
		{name: "status", values: []string{"\"RECEIVED\"", "\"SENT\"", "\"FAILED\"", "\"ERROR\""}, required: true},
		{name: "createdAt", values: []string{"\"2026-01-31T12:00:00Z\"", "\"2026-01-31T12:00:00.123-03:00\"", "\"2026-01-31T12:00\"", "\"2024-02-29T23:59:59+05:45\""}, required: true},
		{name: "updatedAt", values: []string{"\"2026-01-31T12:00:00Z\"", "\"2026-01-31T12:00:00.123-03:00\"", "\"2026-01-31T12:00\"", "\"2024-02-29T23:59:59+05:45\""}, required: true},
		{name: "error", values: []string{"\"texto\""}, required: true, nullable: true},
	},
}

// names are the kinds in the singular.
var names = [kinds]string{"deposit", "withdrawal", "transaction", "notification"}
