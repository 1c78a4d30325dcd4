package ledger

import (
	"encoding/json"
	"slices"
	"time"

	"pixgraph/upstream/pix"
)

// payment is a deposit, a transaction or a withdrawal (spec 2.1 to 2.3). A deposit and a transaction with the same id
// are one payment: each kind of record has the members that the contract lists.
type payment struct {
	object
	id       string
	amount   int64
	history  []statusEntry
	from, to *party // the payer and the receiver
	merchant *merchant
}

// The values of depositOrigin.
const (
	byQRCode = "QRCODE"
	byPixKey = "PIX_KEY"
)

// payment creates a payment to a merchant in its first status: to its Pix key, or with a QR code of its own.
func (g *generator) payment(d draw, i int, at time.Time, origin string) *payment {
	p := &payment{id: d.uuid(), amount: d.amount(i), from: d.anyone(), merchant: pick(d, g.merchants)}
	p.to = p.merchant.party
	p.begin(d, i, at, "/webhooks/pix", "paymentReceipt", "refundReceipt", "amountPaid", "paymentDate", "refundDate", "refundAmount",
		"errorMessage", "errorMessageRefund", "endToEnd", "endToEndRefund", "payer")
	p.set("paymentMethod", "PIX")
	p.set("depositOrigin", origin)
	p.set("receiver", d.maybe(p.to.holder(d)))
	p.set("pixResponse", newPixResponse(d, p.merchant, p.amount, at, origin == byPixKey))
	return p
}

// deposit creates a deposit without a transaction. Half of them are to a Pix key.
func (g *generator) deposit(i int) *payment {
	c := g.clock(newDraw(g.seed, depositStream, i), i)
	origin, statuses := byQRCode, pickPath(c.draw, paymentPaths)
	switch {
	case c.chance(50):
		origin, statuses = byPixKey, pickPath(c.draw, keyPaths)
	case c.chance(5):
		statuses = []string{pending, qrCodeGenerated, pendingCompliance}
	}
	p := g.payment(c.draw, i, c.at, origin)
	p.follow(c, statuses)
	return p
}

// withdrawal creates a withdrawal: a merchant pays a supplier or withdraws money.
func (g *generator) withdrawal(i int) *payment {
	c := g.clock(newDraw(g.seed, withdrawalStream, i), i)
	d := c.draw
	p := &payment{id: d.uuid(), amount: d.amount(i), merchant: pick(d, g.merchants), to: d.anyone()}
	p.from = p.merchant.party
	p.begin(d, i, c.at, "/webhooks/pix-out", "paymentReceipt", "refundReceipt", "amountWithdrawn", "processedDate", "errorMessage",
		"endToEnd", "endToEndRefund", "refundDate", "refundAmount")
	p.set("method", "PIX")
	p.set("payer", d.maybe(p.from.holder(d)))
	receiver := p.to.holder(d)
	p.set("receiver", d.maybe(receiver))
	p.set("pixKey", d.maybe(receiver.get("pix")))
	p.follow(c, pickPath(d, withdrawalPaths))
	return p
}

// begin sets the members that every payment has in its first status, and those that only later statuses have.
func (p *payment) begin(d draw, i int, at time.Time, webhook string, later ...string) {
	p.object = make(object, 0, 36) // the members of a transaction, and of its deposit
	p.set("id", p.id)
	p.set("amount", p.amount)
	p.set("createdAt", timestamp(at))
	p.set("acquirer", p.merchant.bank.name)
	for _, name := range later {
		p.set(name, d.nothing())
	}
	p.set("feeAmount", d.maybe(d.fee()))
	p.set("acquirerCode", d.maybe(d.digits(6)))
	p.set("webhookUrl", d.maybe(p.merchant.webhookBase+webhook))
	p.set("externalCode", d.maybe(d.externalCode(i, at)))
	p.reach(d, pending, at)
}

// clone returns a copy that can change.
func (p *payment) clone() *payment {
	c := *p
	c.object = slices.Clone(p.object)
	return &c
}

// follow moves the payment to the statuses after the first.
func (p *payment) follow(c *clock, statuses []string) {
	for _, status := range statuses[1:] {
		p.reach(c.draw, status, c.toReach(status))
	}
}

// reach moves the payment to a status and sets the members that depend on it.
func (p *payment) reach(d draw, status string, at time.Time) {
	p.history = reached(p.history, status, at)
	p.set("status", status)
	p.set("statusHistory", p.history)
	p.set("updatedAt", timestamp(at))
	switch status {
	case paid:
		p.set("amountPaid", p.amount)
		p.set("paymentDate", timestamp(at))
		p.set("payer", p.from.holder(d))
		p.set("endToEnd", d.endToEnd(pix.EndToEndID, p.from.bank, at))
		p.set("paymentReceipt", d.maybe(d.receipt(p.id, at)))
	case processed:
		p.set("processedDate", timestamp(at))
		p.set("amountWithdrawn", d.withdrawn(p.amount))
		p.set("endToEnd", d.endToEnd(pix.EndToEndID, p.from.bank, at))
		p.set("paymentReceipt", d.maybe(d.receipt(p.id, at)))
	case processingRefund:
		if d.chance(20) {
			p.set("errorMessageRefund", "Saldo insuficiente na conta do recebedor; nova tentativa agendada")
		}
	case refunded:
		amount := p.amount
		if p.to == p.merchant.party && d.chance(25) {
			amount = (amount + 1) / 2
		}
		p.set("refundAmount", amount)
		p.set("refundDate", timestamp(at))
		p.set("endToEndRefund", d.endToEnd(pix.RefundID, p.to.bank, at))
		p.set("refundReceipt", d.maybe(d.receipt(p.id+"-refund", at)))
	case infraction:
		p.set("infractionDate", timestamp(at))
		p.set("infractionAmount", p.amount)
	case failed, rejected:
		p.set("errorMessage", pick(d, failures))
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

// withdrawn is a number that may have a fraction: the spec does not show its unit.
func (d draw) withdrawn(amount int64) json.Number {
	if d.chance(12) {
		return json.Number(decimal(amount-1) + ".5")
	}
	return json.Number(decimal(amount))
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

// receipt is a PaymentReceiptUrl of spec 2.5.
func (d draw) receipt(name string, at time.Time) object {
	return object{
		{"url", "https://receipts.example.com/pix/" + name + ".pdf?sig=" + d.hex(16)}, {"expirationDate", timestamp(at.Add(7 * 24 * time.Hour))},
	}
}
