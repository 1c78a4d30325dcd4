package upstream

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
