package upstream

import (
	"net/url"
	"slices"
)

// DepositStatus is the status of a deposit (spec 3.1).
type DepositStatus string

// DepositStatuses are the values of spec 3.1.
func DepositStatuses() []DepositStatus {
	return []DepositStatus{
		"PENDING", "PIX_QRCODE_GENERATED", "PAID", "PROCESSING_REFUND", "PROCESSING_INFRACTION", "REFUNDED",
		"INFRACTION", "FAILED", "BLOCKED", "DEPOSIT_PIXKEY_GENERATED", "PENDING_COMPLIANCE",
	}
}

// Known reports whether the spec lists the value.
func (s DepositStatus) Known() bool { return slices.Contains(DepositStatuses(), s) }

// DepositOrigin is the way in which a deposit was made (spec 2.1).
type DepositOrigin string

// DepositOrigins are the values of spec 2.1.
func DepositOrigins() []DepositOrigin { return []DepositOrigin{"QRCODE", "PIX_KEY"} }

// Known reports whether the spec lists the value.
func (o DepositOrigin) Known() bool { return slices.Contains(DepositOrigins(), o) }

// DepositStatusHistory is one status that a deposit had.
type DepositStatusHistory = StatusHistory[DepositStatus]

// Deposit is an incoming Pix payment (spec 2.1). Each accessor reads one field, and fails if that field breaks the
// contract.
type Deposit struct{ object }

func (d *Deposit) ID() (Text, error)           { return d.text("id") }
func (d *Deposit) AcquirerCode() (Text, error) { return d.maybeText("acquirerCode") }
func (d *Deposit) Acquirer() (Text, error)     { return d.text("acquirer") }
func (d *Deposit) Amount() (Cents, error)      { return d.cents("amount") }
func (d *Deposit) PaymentMethod() (PaymentMethod, error) {
	return enum[PaymentMethod](&d.object, "paymentMethod")
}
func (d *Deposit) PaymentMethodRaw() (Text, error) { return d.text("paymentMethod") }
func (d *Deposit) WebhookURL() (Text, error)       { return d.maybeText("webhookUrl") }
func (d *Deposit) ExternalCode() (Text, error)     { return d.maybeText("externalCode") }
func (d *Deposit) PaymentReceipt() (*PaymentReceipt, error) {
	return maybePart[PaymentReceipt](&d.object, "paymentReceipt")
}
func (d *Deposit) RefundReceipt() (*PaymentReceipt, error) {
	return maybePart[PaymentReceipt](&d.object, "refundReceipt")
}
func (d *Deposit) CreatedAt() (Text, error)       { return d.text("createdAt") }
func (d *Deposit) Status() (DepositStatus, error) { return enum[DepositStatus](&d.object, "status") }
func (d *Deposit) StatusRaw() (Text, error)       { return d.text("status") }
func (d *Deposit) StatusHistory() ([]Element[DepositStatusHistory], error) {
	return parts[DepositStatusHistory](&d.object, "statusHistory")
}
func (d *Deposit) UpdatedAt() (Text, error)      { return d.text("updatedAt") }
func (d *Deposit) AmountPaid() (*Cents, error)   { return d.maybeCents("amountPaid") }
func (d *Deposit) PaymentDate() (Text, error)    { return d.maybeText("paymentDate") }
func (d *Deposit) RefundDate() (Text, error)     { return d.maybeText("refundDate") }
func (d *Deposit) RefundAmount() (*Cents, error) { return d.maybeCents("refundAmount") }
func (d *Deposit) PixResponse() (*PixResponse, error) {
	return maybePart[PixResponse](&d.object, "pixResponse")
}
func (d *Deposit) ErrorMessage() (Text, error)       { return d.maybeText("errorMessage") }
func (d *Deposit) ErrorMessageRefund() (Text, error) { return d.maybeText("errorMessageRefund") }
func (d *Deposit) EndToEnd() (Text, error)           { return d.maybeText("endToEnd") }
func (d *Deposit) EndToEndRefund() (Text, error)     { return d.maybeText("endToEndRefund") }
func (d *Deposit) Payer() (*AccountHolder, error) {
	return maybePart[AccountHolder](&d.object, "payer")
}
func (d *Deposit) Receiver() (*AccountHolder, error) {
	return maybePart[AccountHolder](&d.object, "receiver")
}
func (d *Deposit) FeeAmount() (Decimal, error) { return d.maybeDecimal("feeAmount") }
func (d *Deposit) DepositOrigin() (DepositOrigin, error) {
	return enum[DepositOrigin](&d.object, "depositOrigin")
}
func (d *Deposit) DepositOriginRaw() (Text, error) { return d.text("depositOrigin") }

// DepositFilter narrows a list of deposits (spec 4.1). A nil field does not filter.
type DepositFilter struct {
	StartDate     *string // ISO 8601 date and time; the spec does not show whether it is inclusive
	EndDate       *string
	Status        []DepositStatus
	MinAmount     *Cents // 1 to 10000000
	MaxAmount     *Cents
	DepositOrigin []DepositOrigin
}

// Violations returns the rules of spec 4.1 that the filter breaks.
func (f *DepositFilter) Violations() []Violation {
	if f == nil {
		return nil
	}
	var v violations
	v.date("startDate", f.StartDate)
	v.date("endDate", f.EndDate)
	checkValues(&v, "status", f.Status)
	v.amount("minAmount", f.MinAmount, minDepositAmount)
	v.amount("maxAmount", f.MaxAmount, minDepositAmount)
	checkValues(&v, "depositOrigin", f.DepositOrigin)
	return v.list
}

// Query returns the query parameters of the filter (spec 4.1).
func (f *DepositFilter) Query() url.Values {
	query := parameters{}
	if f == nil {
		return query.Values()
	}
	query.text("startDate", f.StartDate)
	query.text("endDate", f.EndDate)
	addValues(query, "status", f.Status)
	query.amount("minAmount", f.MinAmount)
	query.amount("maxAmount", f.MaxAmount)
	addValues(query, "depositOrigin", f.DepositOrigin)
	return query.Values()
}
