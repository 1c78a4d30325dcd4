// Code generated from docs/upstream-api.yaml by upstream/contract/generate. DO NOT EDIT.

package upstream

import "net/url"

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
type Deposit struct{ Raw }

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

// Withdrawal is an outgoing Pix payment (spec 2.2).
type Withdrawal struct{ Raw }

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

// Transaction is a payment with its customer, seller, address and items (spec 2.3).
type Transaction struct{ Raw }

var transactionContract = Contract{
	Noun: "transaction", List: "", Service: Core, ID: UUID,
	Settled:  []string{"PAID", "REFUNDED", "INFRACTION", "FAILED"},
	Waiting:  []string{"PROCESSING_REFUND", "PROCESSING_INFRACTION", "BLOCKED"},
	Volatile: Members{"paymentReceipt": {"url": nil, "expirationDate": nil}, "refundReceipt": {"url": nil, "expirationDate": nil}, "statusHistory": {"durationInMilliseconds": nil}},
}

func (*Transaction) contract() *Contract { return &transactionContract }

// Notification is a webhook that the dispatcher sends (spec 2.4).
type Notification struct{ Raw }

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
