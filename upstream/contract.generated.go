// Code generated from docs/upstream-api.yaml by upstream/contract/generate. DO NOT EDIT.

package upstream

import "net/url"

// Each accessor of a record and of its parts reads one field, and fails if that field breaks the contract.

// DepositStatus is the status of a deposit (spec 3.1).
type DepositStatus string

// Known reports whether the contract lists the value.
func (e DepositStatus) Known() bool {
	switch e {
	case "PENDING", "PIX_QRCODE_GENERATED", "PAID", "PROCESSING_REFUND", "PROCESSING_INFRACTION", "REFUNDED", "INFRACTION", "FAILED", "BLOCKED", "DEPOSIT_PIXKEY_GENERATED", "PENDING_COMPLIANCE":
		return true
	}
	return false
}

// WithdrawalStatus is the status of a withdrawal (spec 3.2).
type WithdrawalStatus string

// Known reports whether the contract lists the value.
func (e WithdrawalStatus) Known() bool {
	switch e {
	case "PENDING", "PROCESSING", "PROCESSED", "FAILED", "CANCELED", "REFUNDED", "REJECTED", "PENDING_COMPLIANCE":
		return true
	}
	return false
}

// TransactionStatus is the status of a transaction (spec 3.3).
type TransactionStatus string

// Known reports whether the contract lists the value.
func (e TransactionStatus) Known() bool {
	switch e {
	case "PENDING", "PIX_QRCODE_GENERATED", "PAID", "PROCESSING_REFUND", "PROCESSING_INFRACTION", "REFUNDED", "INFRACTION", "FAILED", "BLOCKED":
		return true
	}
	return false
}

// NotificationStatus is the status of a notification (spec 3.4).
type NotificationStatus string

// Known reports whether the contract lists the value.
func (e NotificationStatus) Known() bool {
	switch e {
	case "RECEIVED", "SENT", "FAILED", "ERROR":
		return true
	}
	return false
}

// PaymentMethod is how a payment is made. Pix is the only way.
type PaymentMethod string

// Known reports whether the contract lists the value.
func (e PaymentMethod) Known() bool {
	switch e {
	case "PIX":
		return true
	}
	return false
}

// DepositOrigin is what a deposit was made from (spec 2.1).
type DepositOrigin string

// Known reports whether the contract lists the value.
func (e DepositOrigin) Known() bool {
	switch e {
	case "QRCODE", "PIX_KEY":
		return true
	}
	return false
}

// HolderType is a natural (PF) or a legal person (PJ). The contract does not spell the letters out.
type HolderType string

// Known reports whether the contract lists the value.
func (e HolderType) Known() bool {
	switch e {
	case "PF", "PJ":
		return true
	}
	return false
}

// PixKeyType is the type of a Pix key (spec 2.5).
type PixKeyType string

// Known reports whether the contract lists the value.
func (e PixKeyType) Known() bool {
	switch e {
	case "CPF", "CNPJ", "EMAIL", "PHONE", "EVP":
		return true
	}
	return false
}

// Deposit is an incoming Pix payment (spec 2.1).
type Deposit struct{ object }

func (r *Deposit) ID() (Text, error)           { return r.text("id") }
func (r *Deposit) AcquirerCode() (Text, error) { return r.maybeText("acquirerCode") }
func (r *Deposit) Acquirer() (Text, error)     { return r.text("acquirer") }
func (r *Deposit) Amount() (Cents, error)      { return r.cents("amount") }
func (r *Deposit) PaymentMethod() (PaymentMethod, error) {
	return enum[PaymentMethod](&r.object, "paymentMethod")
}
func (r *Deposit) PaymentMethodRaw() (Text, error) { return r.text("paymentMethod") }
func (r *Deposit) WebhookURL() (Text, error)       { return r.maybeText("webhookUrl") }
func (r *Deposit) ExternalCode() (Text, error)     { return r.maybeText("externalCode") }
func (r *Deposit) PaymentReceipt() (*PaymentReceipt, error) {
	return maybePart[PaymentReceipt](&r.object, "paymentReceipt")
}
func (r *Deposit) RefundReceipt() (*PaymentReceipt, error) {
	return maybePart[PaymentReceipt](&r.object, "refundReceipt")
}
func (r *Deposit) CreatedAt() (Text, error)       { return r.text("createdAt") }
func (r *Deposit) Status() (DepositStatus, error) { return enum[DepositStatus](&r.object, "status") }
func (r *Deposit) StatusRaw() (Text, error)       { return r.text("status") }
func (r *Deposit) StatusHistory() ([]Element[DepositStatusHistory], error) {
	return parts[DepositStatusHistory](&r.object, "statusHistory")
}
func (r *Deposit) UpdatedAt() (Text, error)      { return r.text("updatedAt") }
func (r *Deposit) AmountPaid() (*Cents, error)   { return r.maybeCents("amountPaid") }
func (r *Deposit) PaymentDate() (Text, error)    { return r.maybeText("paymentDate") }
func (r *Deposit) RefundDate() (Text, error)     { return r.maybeText("refundDate") }
func (r *Deposit) RefundAmount() (*Cents, error) { return r.maybeCents("refundAmount") }
func (r *Deposit) PixResponse() (*PixResponse, error) {
	return maybePart[PixResponse](&r.object, "pixResponse")
}
func (r *Deposit) ErrorMessage() (Text, error)       { return r.maybeText("errorMessage") }
func (r *Deposit) ErrorMessageRefund() (Text, error) { return r.maybeText("errorMessageRefund") }
func (r *Deposit) EndToEnd() (Text, error)           { return r.maybeText("endToEnd") }
func (r *Deposit) EndToEndRefund() (Text, error)     { return r.maybeText("endToEndRefund") }
func (r *Deposit) Payer() (*AccountHolder, error) {
	return maybePart[AccountHolder](&r.object, "payer")
}
func (r *Deposit) Receiver() (*AccountHolder, error) {
	return maybePart[AccountHolder](&r.object, "receiver")
}
func (r *Deposit) FeeAmount() (Decimal, error) { return r.maybeDecimal("feeAmount") }
func (r *Deposit) DepositOrigin() (DepositOrigin, error) {
	return enum[DepositOrigin](&r.object, "depositOrigin")
}
func (r *Deposit) DepositOriginRaw() (Text, error) { return r.text("depositOrigin") }

// Withdrawal is an outgoing Pix payment (spec 2.2).
type Withdrawal struct{ object }

func (r *Withdrawal) ID() (Text, error)              { return r.text("id") }
func (r *Withdrawal) AcquirerCode() (Text, error)    { return r.maybeText("acquirerCode") }
func (r *Withdrawal) Acquirer() (Text, error)        { return r.text("acquirer") }
func (r *Withdrawal) Amount() (Cents, error)         { return r.cents("amount") }
func (r *Withdrawal) Method() (PaymentMethod, error) { return enum[PaymentMethod](&r.object, "method") }
func (r *Withdrawal) MethodRaw() (Text, error)       { return r.text("method") }
func (r *Withdrawal) WebhookURL() (Text, error)      { return r.maybeText("webhookUrl") }
func (r *Withdrawal) ExternalCode() (Text, error)    { return r.maybeText("externalCode") }
func (r *Withdrawal) PaymentReceipt() (*PaymentReceipt, error) {
	return maybePart[PaymentReceipt](&r.object, "paymentReceipt")
}
func (r *Withdrawal) RefundReceipt() (*PaymentReceipt, error) {
	return maybePart[PaymentReceipt](&r.object, "refundReceipt")
}
func (r *Withdrawal) CreatedAt() (Text, error) { return r.text("createdAt") }
func (r *Withdrawal) Status() (WithdrawalStatus, error) {
	return enum[WithdrawalStatus](&r.object, "status")
}
func (r *Withdrawal) StatusRaw() (Text, error) { return r.text("status") }
func (r *Withdrawal) StatusHistory() ([]Element[WithdrawalStatusHistory], error) {
	return parts[WithdrawalStatusHistory](&r.object, "statusHistory")
}
func (r *Withdrawal) UpdatedAt() (Text, error)          { return r.text("updatedAt") }
func (r *Withdrawal) AmountWithdrawn() (Decimal, error) { return r.maybeDecimal("amountWithdrawn") }
func (r *Withdrawal) ProcessedDate() (Text, error)      { return r.maybeText("processedDate") }
func (r *Withdrawal) ErrorMessage() (Text, error)       { return r.maybeText("errorMessage") }
func (r *Withdrawal) EndToEnd() (Text, error)           { return r.maybeText("endToEnd") }
func (r *Withdrawal) EndToEndRefund() (Text, error)     { return r.maybeText("endToEndRefund") }
func (r *Withdrawal) RefundDate() (Text, error)         { return r.maybeText("refundDate") }
func (r *Withdrawal) RefundAmount() (*Cents, error)     { return r.maybeCents("refundAmount") }
func (r *Withdrawal) Payer() (*AccountHolder, error) {
	return maybePart[AccountHolder](&r.object, "payer")
}
func (r *Withdrawal) Receiver() (*AccountHolder, error) {
	return maybePart[AccountHolder](&r.object, "receiver")
}
func (r *Withdrawal) PixKey() (*PixKey, error)    { return maybePart[PixKey](&r.object, "pixKey") }
func (r *Withdrawal) FeeAmount() (Decimal, error) { return r.maybeDecimal("feeAmount") }

// Transaction is a payment with its customer, seller, address and items (spec 2.3).
type Transaction struct{ object }

func (r *Transaction) ID() (Text, error)           { return r.text("id") }
func (r *Transaction) AcquirerCode() (Text, error) { return r.maybeText("acquirerCode") }
func (r *Transaction) Acquirer() (Text, error)     { return r.text("acquirer") }
func (r *Transaction) Amount() (Cents, error)      { return r.cents("amount") }
func (r *Transaction) PaymentMethod() (PaymentMethod, error) {
	return enum[PaymentMethod](&r.object, "paymentMethod")
}
func (r *Transaction) PaymentMethodRaw() (Text, error) { return r.text("paymentMethod") }
func (r *Transaction) WebhookURL() (Text, error)       { return r.maybeText("webhookUrl") }
func (r *Transaction) ExternalCode() (Text, error)     { return r.maybeText("externalCode") }
func (r *Transaction) PaymentReceipt() (*PaymentReceipt, error) {
	return maybePart[PaymentReceipt](&r.object, "paymentReceipt")
}
func (r *Transaction) RefundReceipt() (*PaymentReceipt, error) {
	return maybePart[PaymentReceipt](&r.object, "refundReceipt")
}
func (r *Transaction) Customer() (*Customer, error) {
	return maybePart[Customer](&r.object, "customer")
}
func (r *Transaction) Seller() (*Seller, error)        { return maybePart[Seller](&r.object, "seller") }
func (r *Transaction) IsInfoProduct() (bool, error)    { return r.flag("isInfoProduct") }
func (r *Transaction) Address() (*Address, error)      { return maybePart[Address](&r.object, "address") }
func (r *Transaction) Items() ([]Element[Item], error) { return maybeParts[Item](&r.object, "items") }
func (r *Transaction) Metadata() (JSON, error)         { return r.maybeJSON("metadata") }
func (r *Transaction) CreatedAt() (Text, error)        { return r.text("createdAt") }
func (r *Transaction) Status() (TransactionStatus, error) {
	return enum[TransactionStatus](&r.object, "status")
}
func (r *Transaction) StatusRaw() (Text, error) { return r.text("status") }
func (r *Transaction) StatusHistory() ([]Element[TransactionStatusHistory], error) {
	return parts[TransactionStatusHistory](&r.object, "statusHistory")
}
func (r *Transaction) UpdatedAt() (Text, error)          { return r.text("updatedAt") }
func (r *Transaction) AmountPaid() (*Cents, error)       { return r.maybeCents("amountPaid") }
func (r *Transaction) PaymentDate() (Text, error)        { return r.maybeText("paymentDate") }
func (r *Transaction) InfractionDate() (Text, error)     { return r.maybeText("infractionDate") }
func (r *Transaction) InfractionAmount() (*Cents, error) { return r.maybeCents("infractionAmount") }
func (r *Transaction) RefundDate() (Text, error)         { return r.maybeText("refundDate") }
func (r *Transaction) RefundAmount() (*Cents, error)     { return r.maybeCents("refundAmount") }
func (r *Transaction) PixResponse() (*PixResponse, error) {
	return maybePart[PixResponse](&r.object, "pixResponse")
}
func (r *Transaction) ErrorMessage() (Text, error)       { return r.maybeText("errorMessage") }
func (r *Transaction) ErrorMessageRefund() (Text, error) { return r.maybeText("errorMessageRefund") }
func (r *Transaction) EndToEnd() (Text, error)           { return r.maybeText("endToEnd") }
func (r *Transaction) EndToEndRefund() (Text, error)     { return r.maybeText("endToEndRefund") }
func (r *Transaction) Payer() (*AccountHolder, error) {
	return maybePart[AccountHolder](&r.object, "payer")
}
func (r *Transaction) Receiver() (*AccountHolder, error) {
	return maybePart[AccountHolder](&r.object, "receiver")
}
func (r *Transaction) FeeAmount() (Decimal, error) { return r.maybeDecimal("feeAmount") }

// Notification is a webhook that the dispatcher sends (spec 2.4).
type Notification struct{ object }

func (r *Notification) ID() (Text, error)              { return r.text("id") }
func (r *Notification) Hash() (Text, error)            { return r.text("hash") }
func (r *Notification) Tenant() (Text, error)          { return r.text("tenant") }
func (r *Notification) URL() (Text, error)             { return r.text("url") }
func (r *Notification) ReferenceID() (Text, error)     { return r.text("referenceId") }
func (r *Notification) Body() (JSON, error)            { return r.json("body") }
func (r *Notification) Tags() ([]Element[Text], error) { return r.texts("tags") }
func (r *Notification) Status() (NotificationStatus, error) {
	return enum[NotificationStatus](&r.object, "status")
}
func (r *Notification) StatusRaw() (Text, error) { return r.text("status") }
func (r *Notification) StatusHistory() ([]Element[NotificationStatusHistory], error) {
	return parts[NotificationStatusHistory](&r.object, "statusHistory")
}
func (r *Notification) CreatedAt() (Text, error) { return r.text("createdAt") }
func (r *Notification) UpdatedAt() (Text, error) { return r.text("updatedAt") }
func (r *Notification) Executions() ([]Element[Execution], error) {
	return parts[Execution](&r.object, "executions")
}
func (r *Notification) Error() (Text, error) { return r.maybeText("error") }

// DepositStatusHistory is one status that a deposit had (spec 2.5 StatusHistory).
type DepositStatusHistory struct{ object }

func (r *DepositStatusHistory) Status() (DepositStatus, error) {
	return enum[DepositStatus](&r.object, "status")
}
func (r *DepositStatusHistory) StatusRaw() (Text, error) { return r.text("status") }
func (r *DepositStatusHistory) Date() (Text, error)      { return r.text("date") }
func (r *DepositStatusHistory) DurationInMilliseconds() (Decimal, error) {
	return r.decimal("durationInMilliseconds")
}

// WithdrawalStatusHistory is one status that a withdrawal had (spec 2.5 StatusHistory).
type WithdrawalStatusHistory struct{ object }

func (r *WithdrawalStatusHistory) Status() (WithdrawalStatus, error) {
	return enum[WithdrawalStatus](&r.object, "status")
}
func (r *WithdrawalStatusHistory) StatusRaw() (Text, error) { return r.text("status") }
func (r *WithdrawalStatusHistory) Date() (Text, error)      { return r.text("date") }
func (r *WithdrawalStatusHistory) DurationInMilliseconds() (Decimal, error) {
	return r.decimal("durationInMilliseconds")
}

// TransactionStatusHistory is one status that a transaction had (spec 2.5 StatusHistory).
type TransactionStatusHistory struct{ object }

func (r *TransactionStatusHistory) Status() (TransactionStatus, error) {
	return enum[TransactionStatus](&r.object, "status")
}
func (r *TransactionStatusHistory) StatusRaw() (Text, error) { return r.text("status") }
func (r *TransactionStatusHistory) Date() (Text, error)      { return r.text("date") }
func (r *TransactionStatusHistory) DurationInMilliseconds() (Decimal, error) {
	return r.decimal("durationInMilliseconds")
}

// NotificationStatusHistory is one status that a notification had (spec 2.5). Its status is a plain text, not the enum of spec 3.4.
type NotificationStatusHistory struct{ object }

func (r *NotificationStatusHistory) Status() (Text, error) { return r.text("status") }
func (r *NotificationStatusHistory) Date() (Text, error)   { return r.text("date") }
func (r *NotificationStatusHistory) DurationInMilliseconds() (Decimal, error) {
	return r.maybeDecimal("durationInMilliseconds")
}

// Execution is one attempt to deliver a notification (spec 2.5).
type Execution struct{ object }

func (r *Execution) URL() (Text, error)       { return r.text("url") }
func (r *Execution) Headers() (JSON, error)   { return r.maybeJSON("headers") }
func (r *Execution) CreatedAt() (Text, error) { return r.text("createdAt") }
func (r *Execution) Response() (*ExecutionResponse, error) {
	return part[ExecutionResponse](&r.object, "response")
}
func (r *Execution) UserID() (Text, error)  { return r.text("userId") }
func (r *Execution) StoreID() (Text, error) { return r.text("storeId") }

// ExecutionResponse is what a destination answered (spec 2.5). Its body is any JSON value, null too.
type ExecutionResponse struct{ object }

func (r *ExecutionResponse) StatusCode() (int32, error)     { return r.int32("statusCode") }
func (r *ExecutionResponse) Body() (JSON, error)            { return r.maybeJSON("body") }
func (r *ExecutionResponse) ResponseTime() (Decimal, error) { return r.decimal("responseTime") }

// PixResponse is what a payer needs to pay (spec 2.5).
type PixResponse struct{ object }

func (r *PixResponse) URI() (Text, error)            { return r.text("uri") }
func (r *PixResponse) QRCodeBase64() (Text, error)   { return r.text("qrCodeBase64") }
func (r *PixResponse) ExpirationDate() (Text, error) { return r.text("expirationDate") }

// AccountHolder is the payer or the receiver (spec 2.5).
type AccountHolder struct{ object }

func (r *AccountHolder) Type() (HolderType, error) { return enum[HolderType](&r.object, "type") }
func (r *AccountHolder) TypeRaw() (Text, error)    { return r.text("type") }
func (r *AccountHolder) Name() (Text, error)       { return r.text("name") }
func (r *AccountHolder) Document() (Text, error)   { return r.text("document") }
func (r *AccountHolder) BankAccount() (*BankAccount, error) {
	return part[BankAccount](&r.object, "bankAccount")
}
func (r *AccountHolder) Pix() (*PixKey, error) { return part[PixKey](&r.object, "pix") }

// BankAccount is a bank account (spec 2.5).
type BankAccount struct{ object }

func (r *BankAccount) Type() (Text, error)  { return r.text("type") }
func (r *BankAccount) Digit() (Text, error) { return r.text("digit") }
func (r *BankAccount) ISPB() (Text, error)  { return r.text("ispb") }

// PixKey is a Pix key (spec 2.5).
type PixKey struct{ object }

func (r *PixKey) Key() (Text, error)        { return r.text("key") }
func (r *PixKey) Type() (PixKeyType, error) { return enum[PixKeyType](&r.object, "type") }
func (r *PixKey) TypeRaw() (Text, error)    { return r.text("type") }

// PaymentReceipt is a link to a receipt (spec 2.5).
type PaymentReceipt struct{ object }

func (r *PaymentReceipt) URL() (Text, error)            { return r.text("url") }
func (r *PaymentReceipt) ExpirationDate() (Text, error) { return r.text("expirationDate") }

// Customer is the payer of a transaction (spec 2.5).
type Customer struct{ object }

func (r *Customer) IP() (Text, error)        { return r.maybeText("ip") }
func (r *Customer) Name() (Text, error)      { return r.text("name") }
func (r *Customer) Email() (*Contact, error) { return optional(&r.object, "email", ReadContact) }
func (r *Customer) Document() (*Document, error) {
	return required(&r.object, "document", documentReader(&r.object))
}
func (r *Customer) Landline() (*Contact, error) { return optional(&r.object, "landline", ReadContact) }
func (r *Customer) MobilePhone() (*Contact, error) {
	return optional(&r.object, "mobilePhone", ReadContact)
}

// Seller is the seller of a transaction (spec 2.5).
type Seller struct{ object }

func (r *Seller) Name() (Text, error) { return r.text("name") }
func (r *Seller) Document() (*Document, error) {
	return required(&r.object, "document", documentReader(&r.object))
}

// Address is where a customer lives (spec 2.5).
type Address struct{ object }

func (r *Address) ZipCode() (Text, error)      { return r.text("zipCode") }
func (r *Address) Number() (Text, error)       { return r.text("number") }
func (r *Address) Street() (Text, error)       { return r.text("street") }
func (r *Address) Neighborhood() (Text, error) { return r.text("neighborhood") }
func (r *Address) City() (Text, error)         { return r.text("city") }
func (r *Address) State() (Text, error)        { return r.text("state") }
func (r *Address) Country() (Text, error)      { return r.text("country") }
func (r *Address) Complement() (Text, error)   { return r.maybeText("complement") }

// Item is one product of a transaction (spec 2.5).
type Item struct{ object }

func (r *Item) Title() (Text, error)       { return r.text("title") }
func (r *Item) UnitPrice() (Cents, error)  { return r.cents("unitPrice") }
func (r *Item) Quantity() (Decimal, error) { return r.decimal("quantity") }
func (r *Item) Description() (Text, error) { return r.maybeText("description") }

var depositContract = Contract{
	Noun: "deposit", List: "deposits", Service: Core,
	Settled:  []string{"PAID", "REFUNDED", "INFRACTION", "FAILED"},
	Waiting:  []string{"PROCESSING_REFUND", "PROCESSING_INFRACTION", "BLOCKED"},
	Volatile: Members{"paymentReceipt": {"url": nil, "expirationDate": nil}, "refundReceipt": {"url": nil, "expirationDate": nil}, "statusHistory": {"durationInMilliseconds": nil}},
	Sums: [NumSums]*Amount{
		SumAmount: {Name: "amount", Cents: true, Required: true},
		SumMoved:  {Name: "amountPaid", Cents: true},
		SumRefund: {Name: "refundAmount", Cents: true},
		SumFee:    {Name: "feeAmount"},
	},
}

func (*Deposit) contract() *Contract { return &depositContract }

var withdrawalContract = Contract{
	Noun: "withdrawal", List: "withdrawals", Service: Core, ID: UUIDv4,
	Settled:  []string{"PROCESSED", "FAILED", "CANCELED", "REFUNDED", "REJECTED"},
	Volatile: Members{"paymentReceipt": {"url": nil, "expirationDate": nil}, "refundReceipt": {"url": nil, "expirationDate": nil}, "statusHistory": {"durationInMilliseconds": nil}},
	Sums: [NumSums]*Amount{
		SumAmount: {Name: "amount", Cents: true, Required: true},
		SumMoved:  {Name: "amountWithdrawn"},
		SumRefund: {Name: "refundAmount", Cents: true},
		SumFee:    {Name: "feeAmount"},
	},
}

func (*Withdrawal) contract() *Contract { return &withdrawalContract }

var transactionContract = Contract{
	Noun: "transaction", List: "", Service: Core, ID: UUID,
	Settled:  []string{"PAID", "REFUNDED", "INFRACTION", "FAILED"},
	Waiting:  []string{"PROCESSING_REFUND", "PROCESSING_INFRACTION", "BLOCKED"},
	Volatile: Members{"paymentReceipt": {"url": nil, "expirationDate": nil}, "refundReceipt": {"url": nil, "expirationDate": nil}, "statusHistory": {"durationInMilliseconds": nil}},
}

func (*Transaction) contract() *Contract { return &transactionContract }

var notificationContract = Contract{
	Noun: "notification", List: "", Service: Dispatcher, ID: NotificationID, Scopes: []string{"get_dispatcher"},
	Settled:  []string{"SENT", "FAILED", "ERROR"},
	Volatile: Members{"statusHistory": {"durationInMilliseconds": nil}},
}

func (*Notification) contract() *Contract { return &notificationContract }

// lookups are the kinds of records that can be fetched by id.
var lookups = []*Contract{&withdrawalContract, &transactionContract, &notificationContract}

// DepositFilter narrows a list (spec 4.1). A nil field does not filter.
type DepositFilter struct {
	StartDate     *string         // a time is part of it
	EndDate       *string         // a time is part of it
	Status        []DepositStatus // not empty, no value twice
	MinAmount     *Cents          // 1 to 10000000 cents
	MaxAmount     *Cents          // 1 to 10000000 cents
	DepositOrigin []DepositOrigin // not empty, no value twice
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
	v.amount("minAmount", f.MinAmount, 1, 10000000)
	v.amount("maxAmount", f.MaxAmount, 1, 10000000)
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

// WithdrawalFilter narrows a list (spec 4.2). A nil field does not filter.
type WithdrawalFilter struct {
	StartDate      *string            // a time is part of it
	EndDate        *string            // a time is part of it
	Status         []WithdrawalStatus // not empty, no value twice
	ID             *string            // of version 4
	PixKey         *string            // a valid Pix key: CPF, CNPJ, EMAIL, PHONE, EVP
	EndToEnd       *string            // 8 to 255 characters
	EndToEndRefund *string            // 8 to 255 characters
	ExternalCode   *string            // 8 to 255 characters
	MinAmount      *Cents             // 10 to 10000000 cents
	MaxAmount      *Cents             // 10 to 10000000 cents
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
	v.id("id", f.ID, UUIDv4)
	v.pixKey("pixKey", f.PixKey)
	v.code("endToEnd", f.EndToEnd, 8, 255)
	v.code("endToEndRefund", f.EndToEndRefund, 8, 255)
	v.code("externalCode", f.ExternalCode, 8, 255)
	v.amount("minAmount", f.MinAmount, 10, 10000000)
	v.amount("maxAmount", f.MaxAmount, 10, 10000000)
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

// FilterParameters returns the names of the query parameters of all filters.
func FilterParameters() []string {
	return []string{
		"startDate", "endDate", "status", "minAmount", "maxAmount", "depositOrigin", // spec 4.1
		"startDate", "endDate", "status", "id", "pixKey", "endToEnd", "endToEndRefund", "externalCode", "minAmount", "maxAmount", // spec 4.2
	}
}
