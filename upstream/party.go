package upstream

// Unknown is the value of an enumeration for a text that the spec does not list. It is never sent to an API.
const Unknown = "UNKNOWN"

// StatusHistory is one status that a record had (spec 2.5). S is the status type of the record.
type StatusHistory[S enumeration] struct{ object }

func (h *StatusHistory[S]) Status() (S, error)       { return enum[S](&h.object, "status") }
func (h *StatusHistory[S]) StatusRaw() (Text, error) { return h.text("status") }
func (h *StatusHistory[S]) Date() (Text, error)      { return h.text("date") }
func (h *StatusHistory[S]) DurationInMilliseconds() (Decimal, error) {
	return h.decimal("durationInMilliseconds")
}

// PixResponse holds the data that a payer needs (spec 2.5).
type PixResponse struct{ object }

func (p *PixResponse) URI() (Text, error)            { return p.text("uri") }
func (p *PixResponse) QRCodeBase64() (Text, error)   { return p.text("qrCodeBase64") }
func (p *PixResponse) ExpirationDate() (Text, error) { return p.text("expirationDate") }

// AccountHolder is the payer or the receiver of a payment (spec 2.5).
type AccountHolder struct{ object }

func (a *AccountHolder) Type() (HolderType, error) { return enum[HolderType](&a.object, "type") }
func (a *AccountHolder) TypeRaw() (Text, error)    { return a.text("type") }
func (a *AccountHolder) Name() (Text, error)       { return a.text("name") }
func (a *AccountHolder) Document() (Text, error)   { return a.text("document") }
func (a *AccountHolder) BankAccount() (*BankAccount, error) {
	return part[BankAccount](&a.object, "bankAccount")
}
func (a *AccountHolder) Pix() (*PixKey, error) { return part[PixKey](&a.object, "pix") }

// BankAccount is the account of a holder (spec 2.5). The spec does not show the values of its type.
type BankAccount struct{ object }

func (b *BankAccount) Type() (Text, error)  { return b.text("type") }
func (b *BankAccount) Digit() (Text, error) { return b.text("digit") }
func (b *BankAccount) ISPB() (Text, error)  { return b.text("ispb") }

// PixKey is a Pix key and its kind (spec 2.5 PixKeyVo).
type PixKey struct{ object }

func (k *PixKey) Key() (Text, error)        { return k.text("key") }
func (k *PixKey) Type() (PixKeyType, error) { return enum[PixKeyType](&k.object, "type") }
func (k *PixKey) TypeRaw() (Text, error)    { return k.text("type") }

// PaymentReceipt is a link to a receipt (spec 2.5 PaymentReceiptUrl).
type PaymentReceipt struct{ object }

func (p *PaymentReceipt) URL() (Text, error)            { return p.text("url") }
func (p *PaymentReceipt) ExpirationDate() (Text, error) { return p.text("expirationDate") }
