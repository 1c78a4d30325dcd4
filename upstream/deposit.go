package upstream

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
