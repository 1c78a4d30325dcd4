package ledger

import (
	"encoding/json"
	"time"

	"pixgraph/upstream/pix"
)

// withdrawal is a Withdrawal of spec 2.2.
type withdrawal struct {
	ID              string                  `json:"id"`
	AcquirerCode    optional[string]        `json:"acquirerCode,omitzero"`
	Acquirer        string                  `json:"acquirer"`
	Amount          int64                   `json:"amount"`
	Method          string                  `json:"method"`
	WebhookURL      optional[string]        `json:"webhookUrl,omitzero"`
	ExternalCode    optional[string]        `json:"externalCode,omitzero"`
	PaymentReceipt  optional[receiptURL]    `json:"paymentReceipt,omitzero"`
	RefundReceipt   optional[receiptURL]    `json:"refundReceipt,omitzero"`
	CreatedAt       timestamp               `json:"createdAt"`
	Status          string                  `json:"status"`
	StatusHistory   []statusEntry           `json:"statusHistory"`
	UpdatedAt       timestamp               `json:"updatedAt"`
	AmountWithdrawn optional[json.Number]   `json:"amountWithdrawn,omitzero"`
	ProcessedDate   optional[timestamp]     `json:"processedDate,omitzero"`
	ErrorMessage    optional[string]        `json:"errorMessage,omitzero"`
	EndToEnd        optional[string]        `json:"endToEnd,omitzero"`
	EndToEndRefund  optional[string]        `json:"endToEndRefund,omitzero"`
	RefundDate      optional[timestamp]     `json:"refundDate,omitzero"`
	RefundAmount    optional[int64]         `json:"refundAmount,omitzero"`
	Payer           optional[accountHolder] `json:"payer,omitzero"`
	Receiver        optional[accountHolder] `json:"receiver,omitzero"`
	PixKey          optional[pixKey]        `json:"pixKey,omitzero"`
	FeeAmount       optional[json.Number]   `json:"feeAmount,omitzero"`

	from *merchant
	to   *party
}

// withdrawal creates a withdrawal: a merchant pays a supplier or withdraws money.
func (g *generator) withdrawal(i int) *withdrawal {
	d := newDraw(g.seed, withdrawalStream, i)
	c := g.clock(d, i)
	w := &withdrawal{
		ID: d.uuid(), Amount: d.amount(i), Method: "PIX", CreatedAt: timestamp(c.at),
		from: pick(d, g.merchants), to: d.anyone(),
		PaymentReceipt: nothing[receiptURL](d), RefundReceipt: nothing[receiptURL](d),
		AmountWithdrawn: nothing[json.Number](d), ProcessedDate: nothing[timestamp](d),
		ErrorMessage: nothing[string](d), EndToEnd: nothing[string](d), EndToEndRefund: nothing[string](d),
		RefundDate: nothing[timestamp](d), RefundAmount: nothing[int64](d), FeeAmount: maybe(d, d.fee()),
	}
	w.Acquirer = w.from.bank.name
	w.AcquirerCode = maybe(d, d.digits(6))
	w.WebhookURL = maybe(d, w.from.webhookBase+"/webhooks/pix-out")
	w.ExternalCode = maybe(d, d.externalCode(i, c.at))
	w.Payer = maybe(d, w.from.holder(d))
	receiver := w.to.holder(d)
	w.Receiver = maybe(d, receiver)
	w.PixKey = maybe(d, receiver.Pix)

	w.reach(d, pending, c.at)
	for _, status := range pickPath(d, withdrawalPaths)[1:] {
		w.reach(d, status, c.toReach(status))
	}
	return w
}

// reach moves the withdrawal to a status and sets the fields that depend on it.
func (w *withdrawal) reach(d draw, status string, at time.Time) {
	w.Status, w.UpdatedAt = status, timestamp(at)
	w.StatusHistory = reached(w.StatusHistory, status, at)
	switch status {
	case processed:
		w.ProcessedDate = some(timestamp(at))
		w.AmountWithdrawn = some(d.withdrawn(w.Amount))
		w.EndToEnd = some(d.endToEnd(pix.EndToEndID, w.from.bank, at))
		w.PaymentReceipt = maybe(d, d.receipt(w.ID, at))
	case refunded:
		w.RefundDate, w.RefundAmount = some(timestamp(at)), some(w.Amount)
		w.EndToEndRefund = some(d.endToEnd(pix.RefundID, w.to.bank, at))
		w.RefundReceipt = maybe(d, d.receipt(w.ID+"-refund", at))
	case failed, rejected:
		w.ErrorMessage = some(pick(d, failures))
	}
}

// withdrawn is a number that may have a fraction: the spec does not show its unit.
func (d draw) withdrawn(amount int64) json.Number {
	if d.chance(12) {
		return json.Number(decimal(amount-1) + ".5")
	}
	return json.Number(decimal(amount))
}
