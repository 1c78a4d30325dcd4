package ledger

import (
	"encoding/json"
	"time"

	"pixgraph/upstream/pix"
)

// payment has the fields that deposits and transactions share (spec
// 2.1 and 2.3). A deposit and a transaction of one payment have the same
// values.
type payment struct {
	ID             string               `json:"id"`
	AcquirerCode   optional[string]     `json:"acquirerCode,omitzero"`
	Acquirer       string               `json:"acquirer"`
	Amount         int64                `json:"amount"`
	PaymentMethod  string               `json:"paymentMethod"`
	WebhookURL     optional[string]     `json:"webhookUrl,omitzero"`
	ExternalCode   optional[string]     `json:"externalCode,omitzero"`
	PaymentReceipt optional[receiptURL] `json:"paymentReceipt,omitzero"`
	RefundReceipt  optional[receiptURL] `json:"refundReceipt,omitzero"`
	CreatedAt      timestamp            `json:"createdAt"`
	Status         string               `json:"status"`
	StatusHistory  []statusEntry        `json:"statusHistory"`
	UpdatedAt      timestamp            `json:"updatedAt"`
	AmountPaid     optional[int64]      `json:"amountPaid,omitzero"`
	PaymentDate    optional[timestamp]  `json:"paymentDate,omitzero"`
	RefundDate     optional[timestamp]  `json:"refundDate,omitzero"`
	RefundAmount   optional[int64]      `json:"refundAmount,omitzero"`
	PixResponse    pixResponse          `json:"pixResponse"`

	ErrorMessage       optional[string]        `json:"errorMessage,omitzero"`
	ErrorMessageRefund optional[string]        `json:"errorMessageRefund,omitzero"`
	EndToEnd           optional[string]        `json:"endToEnd,omitzero"`
	EndToEndRefund     optional[string]        `json:"endToEndRefund,omitzero"`
	Payer              optional[accountHolder] `json:"payer,omitzero"`
	Receiver           optional[accountHolder] `json:"receiver,omitzero"`
	FeeAmount          optional[json.Number]   `json:"feeAmount,omitzero"`

	from *party    // the payer, once it is paid
	to   *merchant // the receiver
}

// receiptURL is a PaymentReceiptUrl of spec 2.5.
type receiptURL struct {
	URL            string    `json:"url"`
	ExpirationDate timestamp `json:"expirationDate"`
}

// payment creates a payment in its first status. If byKey is set it is to the
// merchant's Pix key, otherwise with a QR code of its own.
func (g *generator) payment(d draw, i int, at time.Time, byKey bool) payment {
	p := payment{
		ID: d.uuid(), Amount: d.amount(i), PaymentMethod: "PIX", CreatedAt: timestamp(at),
		from: d.anyone(), to: pick(d, g.merchants),
		PaymentReceipt: nothing[receiptURL](d), RefundReceipt: nothing[receiptURL](d),
		AmountPaid: nothing[int64](d), PaymentDate: nothing[timestamp](d),
		RefundDate: nothing[timestamp](d), RefundAmount: nothing[int64](d),
		ErrorMessage: nothing[string](d), ErrorMessageRefund: nothing[string](d),
		EndToEnd: nothing[string](d), EndToEndRefund: nothing[string](d),
		Payer: nothing[accountHolder](d), FeeAmount: maybe(d, d.fee()),
	}
	p.Acquirer = p.to.bank.name
	p.AcquirerCode = maybe(d, d.digits(6))
	p.WebhookURL = maybe(d, p.to.webhookBase+"/webhooks/pix")
	p.ExternalCode = maybe(d, d.externalCode(i, at))
	p.Receiver = maybe(d, p.to.holder(d))
	p.PixResponse = newPixResponse(d, p.to, p.Amount, at, byKey)
	p.reach(d, pending, at)
	return p
}

// reach moves the payment to a status and sets the fields that depend on it.
func (p *payment) reach(d draw, status string, at time.Time) {
	p.Status, p.UpdatedAt = status, timestamp(at)
	p.StatusHistory = reached(p.StatusHistory, status, at)
	switch status {
	case paid:
		p.AmountPaid, p.PaymentDate = some(p.Amount), some(timestamp(at))
		p.Payer = some(p.from.holder(d))
		p.EndToEnd = some(d.endToEnd(pix.EndToEndID, p.from.bank, at))
		p.PaymentReceipt = maybe(d, d.receipt(p.ID, at))
	case processingRefund:
		if d.chance(20) {
			p.ErrorMessageRefund = some("Saldo insuficiente na conta do recebedor; nova tentativa agendada")
		}
	case refunded:
		amount := p.Amount
		if d.chance(25) {
			amount = (amount + 1) / 2
		}
		p.RefundAmount, p.RefundDate = some(amount), some(timestamp(at))
		p.EndToEndRefund = some(d.endToEnd(pix.RefundID, p.to.bank, at))
		p.RefundReceipt = maybe(d, d.receipt(p.ID+"-refund", at))
	case failed:
		p.ErrorMessage = some(pick(d, failures))
	}
}

// failures are error messages of real services; the spec shows none.
var failures = []string{
	"Tempo de resposta da instituição excedido", "Chave Pix não encontrada no DICT", "QR Code expirado",
	"Valor acima do limite noturno", "AB03: settlement aborted <timeout & retry>", "Conta de destino encerrada",
}

// amount is in cents: usually that of a purchase, and sometimes one at a
// limit of the filters (spec 8) or of 32 bits.
func (d draw) amount(i int) int64 {
	if i%50 == 27 {
		edges := [...]int64{1, 9, 10, 10_000_000, 10_000_001, 1<<31 - 1, 1 << 31, 1<<32 + 1}
		return edges[i/50%len(edges)]
	}
	return d.skewed(150, 2_000_000)
}

// fee is a number that may have a fraction: the spec does not show its unit.
func (d draw) fee() json.Number {
	switch d.r.IntN(4) {
	case 0:
		return json.Number(decimal(d.between(10, 300)) + "." + decimal(d.between(1, 9)))
	case 1:
		return json.Number("0." + decimal(d.between(101, 999)))
	}
	return json.Number(decimal(d.between(1, 500)))
}

// externalCode has 8 to 255 characters, so that the filter of spec
// 4.2 accepts it. Some contain characters that must be escaped in a URL.
func (d draw) externalCode(i int, at time.Time) string {
	year, n := at.Format("2006"), d.digits(6)
	switch {
	case i%40 == 7:
		return "loja 3/pedido+" + n + "?v=1&ref=#" + year + " 100%"
	case i%40 == 23:
		return "Coração nº " + n + " – João"
	case d.chance(30):
		return d.uuid()
	}
	return "PED-" + year + "-" + n
}

func (d draw) endToEnd(build func(ispb string, at time.Time, sequence string) (string, error), from bank, at time.Time) string {
	id, err := build(from.ispb, at, d.text(11, from.sequence))
	if err != nil {
		panic("ledger: " + err.Error())
	}
	return id
}

func (d draw) receipt(name string, at time.Time) receiptURL {
	return receiptURL{"https://receipts.example.com/pix/" + name + ".pdf?sig=" + d.hex(16), timestamp(at.Add(7 * 24 * time.Hour))}
}
