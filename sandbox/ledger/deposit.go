package ledger

// deposit is a Deposit of spec 2.1.
type deposit struct {
	payment
	DepositOrigin string `json:"depositOrigin"`
}

// The values of depositOrigin.
const (
	byQRCode = "QRCODE"
	byPixKey = "PIX_KEY"
)

// depositOf is the deposit for a transaction: the same payment with the same id.
func depositOf(t *transaction) *deposit { return &deposit{payment: t.payment, DepositOrigin: byQRCode} }

// deposit creates a deposit without a transaction. Half of them are to a Pix key.
func (g *generator) deposit(i int) *deposit {
	d := newDraw(g.seed, depositStream, i)
	c := g.clock(d, i)
	w := &deposit{DepositOrigin: byQRCode}
	statuses := pickPath(d, paymentPaths)
	switch {
	case d.chance(50):
		w.DepositOrigin = byPixKey
		statuses = pickPath(d, keyPaths)
	case d.chance(5):
		statuses = []string{pending, qrCodeGenerated, pendingCompliance}
	}
	w.payment = g.payment(d, i, c.at, w.DepositOrigin == byPixKey)
	for _, status := range statuses[1:] {
		w.reach(d, status, c.toReach(status))
	}
	return w
}
