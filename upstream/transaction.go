package upstream

// TransactionStatusHistory is one status that a transaction had.
type TransactionStatusHistory = StatusHistory[TransactionStatus]

// Transaction is a payment record with customer, seller, address and item data (spec 2.3). Each accessor reads
// one field, and fails if that field breaks the contract.
type Transaction struct{ object }

func (t *Transaction) ID() (Text, error)           { return t.text("id") }
func (t *Transaction) AcquirerCode() (Text, error) { return t.maybeText("acquirerCode") }
func (t *Transaction) Acquirer() (Text, error)     { return t.text("acquirer") }
func (t *Transaction) Amount() (Cents, error)      { return t.cents("amount") }
func (t *Transaction) PaymentMethod() (PaymentMethod, error) {
	return enum[PaymentMethod](&t.object, "paymentMethod")
}
func (t *Transaction) PaymentMethodRaw() (Text, error) { return t.text("paymentMethod") }
func (t *Transaction) WebhookURL() (Text, error)       { return t.maybeText("webhookUrl") }
func (t *Transaction) ExternalCode() (Text, error)     { return t.maybeText("externalCode") }
func (t *Transaction) PaymentReceipt() (*PaymentReceipt, error) {
	return maybePart[PaymentReceipt](&t.object, "paymentReceipt")
}
func (t *Transaction) RefundReceipt() (*PaymentReceipt, error) {
	return maybePart[PaymentReceipt](&t.object, "refundReceipt")
}
func (t *Transaction) Customer() (*Customer, error) {
	return maybePart[Customer](&t.object, "customer")
}
func (t *Transaction) Seller() (*Seller, error)        { return maybePart[Seller](&t.object, "seller") }
func (t *Transaction) IsInfoProduct() (bool, error)    { return t.flag("isInfoProduct") }
func (t *Transaction) Address() (*Address, error)      { return maybePart[Address](&t.object, "address") }
func (t *Transaction) Items() ([]Element[Item], error) { return maybeParts[Item](&t.object, "items") }
func (t *Transaction) Metadata() (JSON, error)         { return t.maybeJSON("metadata") }
func (t *Transaction) CreatedAt() (Text, error)        { return t.text("createdAt") }
func (t *Transaction) Status() (TransactionStatus, error) {
	return enum[TransactionStatus](&t.object, "status")
}
func (t *Transaction) StatusRaw() (Text, error) { return t.text("status") }
func (t *Transaction) StatusHistory() ([]Element[TransactionStatusHistory], error) {
	return parts[TransactionStatusHistory](&t.object, "statusHistory")
}
func (t *Transaction) UpdatedAt() (Text, error)          { return t.text("updatedAt") }
func (t *Transaction) AmountPaid() (*Cents, error)       { return t.maybeCents("amountPaid") }
func (t *Transaction) PaymentDate() (Text, error)        { return t.maybeText("paymentDate") }
func (t *Transaction) InfractionDate() (Text, error)     { return t.maybeText("infractionDate") }
func (t *Transaction) InfractionAmount() (*Cents, error) { return t.maybeCents("infractionAmount") }
func (t *Transaction) RefundDate() (Text, error)         { return t.maybeText("refundDate") }
func (t *Transaction) RefundAmount() (*Cents, error)     { return t.maybeCents("refundAmount") }
func (t *Transaction) PixResponse() (*PixResponse, error) {
	return maybePart[PixResponse](&t.object, "pixResponse")
}
func (t *Transaction) ErrorMessage() (Text, error)       { return t.maybeText("errorMessage") }
func (t *Transaction) ErrorMessageRefund() (Text, error) { return t.maybeText("errorMessageRefund") }
func (t *Transaction) EndToEnd() (Text, error)           { return t.maybeText("endToEnd") }
func (t *Transaction) EndToEndRefund() (Text, error)     { return t.maybeText("endToEndRefund") }
func (t *Transaction) Payer() (*AccountHolder, error) {
	return maybePart[AccountHolder](&t.object, "payer")
}
func (t *Transaction) Receiver() (*AccountHolder, error) {
	return maybePart[AccountHolder](&t.object, "receiver")
}
func (t *Transaction) FeeAmount() (Decimal, error) { return t.maybeDecimal("feeAmount") }
