package upstream

import (
	"net/url"
	"slices"
)

// WithdrawalStatus is the status of a withdrawal (spec 3.2).
type WithdrawalStatus string

// WithdrawalStatuses are the values of spec 3.2.
func WithdrawalStatuses() []WithdrawalStatus {
	return []WithdrawalStatus{
		"PENDING", "PROCESSING", "PROCESSED", "FAILED", "CANCELED", "REFUNDED", "REJECTED", "PENDING_COMPLIANCE",
	}
}

// Known reports whether the spec lists the value.
func (s WithdrawalStatus) Known() bool { return slices.Contains(WithdrawalStatuses(), s) }

// WithdrawalStatusHistory is one status that a withdrawal had.
type WithdrawalStatusHistory = StatusHistory[WithdrawalStatus]

// Withdrawal is an outgoing Pix payment (spec 2.2). Each accessor reads one field, and fails if that field breaks the
// contract.
type Withdrawal struct{ object }

func (w *Withdrawal) ID() (Text, error)              { return w.text("id") }
func (w *Withdrawal) AcquirerCode() (Text, error)    { return w.maybeText("acquirerCode") }
func (w *Withdrawal) Acquirer() (Text, error)        { return w.text("acquirer") }
func (w *Withdrawal) Amount() (Cents, error)         { return w.cents("amount") }
func (w *Withdrawal) Method() (PaymentMethod, error) { return enum[PaymentMethod](&w.object, "method") }
func (w *Withdrawal) MethodRaw() (Text, error)       { return w.text("method") }
func (w *Withdrawal) WebhookURL() (Text, error)      { return w.maybeText("webhookUrl") }
func (w *Withdrawal) ExternalCode() (Text, error)    { return w.maybeText("externalCode") }
func (w *Withdrawal) PaymentReceipt() (*PaymentReceipt, error) {
	return maybePart[PaymentReceipt](&w.object, "paymentReceipt")
}
func (w *Withdrawal) RefundReceipt() (*PaymentReceipt, error) {
	return maybePart[PaymentReceipt](&w.object, "refundReceipt")
}
func (w *Withdrawal) CreatedAt() (Text, error) { return w.text("createdAt") }
func (w *Withdrawal) Status() (WithdrawalStatus, error) {
	return enum[WithdrawalStatus](&w.object, "status")
}
func (w *Withdrawal) StatusRaw() (Text, error) { return w.text("status") }
func (w *Withdrawal) StatusHistory() ([]Element[WithdrawalStatusHistory], error) {
	return parts[WithdrawalStatusHistory](&w.object, "statusHistory")
}
func (w *Withdrawal) UpdatedAt() (Text, error)          { return w.text("updatedAt") }
func (w *Withdrawal) AmountWithdrawn() (Decimal, error) { return w.maybeDecimal("amountWithdrawn") }
func (w *Withdrawal) ProcessedDate() (Text, error)      { return w.maybeText("processedDate") }
func (w *Withdrawal) ErrorMessage() (Text, error)       { return w.maybeText("errorMessage") }
func (w *Withdrawal) EndToEnd() (Text, error)           { return w.maybeText("endToEnd") }
func (w *Withdrawal) EndToEndRefund() (Text, error)     { return w.maybeText("endToEndRefund") }
func (w *Withdrawal) RefundDate() (Text, error)         { return w.maybeText("refundDate") }
func (w *Withdrawal) RefundAmount() (*Cents, error)     { return w.maybeCents("refundAmount") }
func (w *Withdrawal) Payer() (*AccountHolder, error) {
	return maybePart[AccountHolder](&w.object, "payer")
}
func (w *Withdrawal) Receiver() (*AccountHolder, error) {
	return maybePart[AccountHolder](&w.object, "receiver")
}
func (w *Withdrawal) PixKey() (*PixKey, error)    { return maybePart[PixKey](&w.object, "pixKey") }
func (w *Withdrawal) FeeAmount() (Decimal, error) { return w.maybeDecimal("feeAmount") }

// WithdrawalFilter narrows a list of withdrawals (spec 4.2). A nil field does not filter.
type WithdrawalFilter struct {
	StartDate      *string // ISO 8601 date and time; the spec does not show whether it is inclusive
	EndDate        *string
	Status         []WithdrawalStatus
	ID             *string // UUID v4
	PixKey         *string // a valid Pix key of any kind
	EndToEnd       *string // 8 to 255 characters, as the two fields below
	EndToEndRefund *string
	ExternalCode   *string
	MinAmount      *Cents // 10 to 10000000
	MaxAmount      *Cents
}

// Violations returns the rules of spec 4.2 that the filter breaks.
func (f *WithdrawalFilter) Violations() []Violation {
	if f == nil {
		return nil
	}
	var v violations
	v.date("startDate", f.StartDate)
	v.date("endDate", f.EndDate)
	checkValues(&v, "status", f.Status)
	v.uuidV4("id", f.ID)
	v.pixKey("pixKey", f.PixKey)
	v.code("endToEnd", f.EndToEnd)
	v.code("endToEndRefund", f.EndToEndRefund)
	v.code("externalCode", f.ExternalCode)
	v.amount("minAmount", f.MinAmount, minWithdrawalAmount)
	v.amount("maxAmount", f.MaxAmount, minWithdrawalAmount)
	return v.list
}

// Query returns the query parameters of the filter (spec 4.2).
func (f *WithdrawalFilter) Query() url.Values {
	query := parameters{}
	if f == nil {
		return query.Values()
	}
	query.text("startDate", f.StartDate)
	query.text("endDate", f.EndDate)
	addValues(query, "status", f.Status)
	query.text("id", f.ID)
	query.text("pixKey", f.PixKey)
	query.text("endToEnd", f.EndToEnd)
	query.text("endToEndRefund", f.EndToEndRefund)
	query.text("externalCode", f.ExternalCode)
	query.amount("minAmount", f.MinAmount)
	query.amount("maxAmount", f.MaxAmount)
	return query.Values()
}
