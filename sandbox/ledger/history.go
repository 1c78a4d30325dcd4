package ledger

import "time"

// statusEntry is a StatusHistory of spec 2.5.
type statusEntry struct {
	Status   string    `json:"status"`
	Date     timestamp `json:"date"`
	Duration int64     `json:"durationInMilliseconds"`
}

// reached returns a copy of the history with one more status, and sets the
// duration of the status before it. The duration of the current status is 0,
// which is our choice.
func reached(history []statusEntry, status string, at time.Time) []statusEntry {
	next := make([]statusEntry, len(history), len(history)+1)
	copy(next, history)
	if n := len(next); n > 0 {
		next[n-1].Duration = at.Sub(time.Time(next[n-1].Date)).Milliseconds()
	}
	return append(next, statusEntry{Status: status, Date: timestamp(at)})
}

// path is a sequence of statuses up to the current one, and its share among
// the records. The spec does not show transitions: the paths are our choice.
type path struct {
	share    int
	statuses []string
}

// The statuses of spec 3.1 to 3.4.
const (
	pending              = "PENDING"
	qrCodeGenerated      = "PIX_QRCODE_GENERATED"
	paid                 = "PAID"
	processingRefund     = "PROCESSING_REFUND"
	processingInfraction = "PROCESSING_INFRACTION"
	refunded             = "REFUNDED"
	infraction           = "INFRACTION"
	failed               = "FAILED"
	blocked              = "BLOCKED"
	pixKeyGenerated      = "DEPOSIT_PIXKEY_GENERATED"
	pendingCompliance    = "PENDING_COMPLIANCE"
	processing           = "PROCESSING"
	processed            = "PROCESSED"
	canceled             = "CANCELED"
	rejected             = "REJECTED"
	received             = "RECEIVED"
	sent                 = "SENT"
	errored              = "ERROR"
)

var (
	// paymentPaths are those of transactions and of deposits with a QR code.
	paymentPaths = []path{
		{54, []string{pending, qrCodeGenerated, paid}},
		{4, []string{pending}},
		{8, []string{pending, qrCodeGenerated}},
		{4, []string{pending, qrCodeGenerated, paid, processingRefund}},
		{11, []string{pending, qrCodeGenerated, paid, processingRefund, refunded}},
		{3, []string{pending, qrCodeGenerated, paid, blocked}},
		{3, []string{pending, qrCodeGenerated, paid, blocked, processingInfraction}},
		{5, []string{pending, qrCodeGenerated, paid, blocked, processingInfraction, infraction}},
		{5, []string{pending, failed}},
		{3, []string{pending, qrCodeGenerated, failed}},
	}
	// keyPaths are those of deposits to a Pix key.
	keyPaths = []path{
		{50, []string{pending, pixKeyGenerated, paid}},
		{18, []string{pending, pixKeyGenerated}},
		{8, []string{pending, pixKeyGenerated, pendingCompliance}},
		{6, []string{pending, pixKeyGenerated, pendingCompliance, paid}},
		{10, []string{pending, pixKeyGenerated, paid, processingRefund, refunded}},
		{8, []string{pending, failed}},
	}
	withdrawalPaths = []path{
		{56, []string{pending, processing, processed}},
		{5, []string{pending}},
		{8, []string{pending, processing}},
		{7, []string{pending, processing, failed}},
		{6, []string{pending, canceled}},
		{8, []string{pending, processing, processed, refunded}},
		{5, []string{pending, pendingCompliance, rejected}},
		{5, []string{pending, pendingCompliance}},
	}
	// The history of a notification has plain strings, which need not be
	// statuses of notifications (spec 2.5). RETRYING is our example
	// of that.
	notificationPaths = []path{
		{62, []string{received, sent}},
		{10, []string{received}},
		{9, []string{received, failed, "RETRYING", sent}},
		{9, []string{received, failed}},
		{4, []string{received, failed, "RETRYING", failed}},
		{6, []string{received, errored}},
	}
)

func pickPath(d draw, from []path) []string {
	n := d.r.IntN(100) // the shares add up to 100
	for _, p := range from {
		if n -= p.share; n < 0 {
			return p.statuses
		}
	}
	panic("ledger: the shares of the paths do not add up to 100")
}

// clock produces the times of a record, never later than the reference time.
type clock struct {
	draw
	anchor, at time.Time
}

// after advances by a duration from min to max, or by half of the remaining time, whichever is shorter.
func (c *clock) after(min, max time.Duration) time.Time {
	step := c.duration(min, max)
	if left := c.anchor.Sub(c.at) / 2; step > left {
		step = left
	}
	c.at = instant(c.at.Add(step + time.Millisecond))
	return c.at
}

// toReach advances by the time that a payment takes to reach the status.
func (c *clock) toReach(status string) time.Time {
	switch status {
	case paid, failed:
		return c.after(2*time.Second, 20*time.Minute)
	case processingRefund, blocked:
		return c.after(time.Hour, 70*day) // sometimes more than 2^31 milliseconds
	case processingInfraction, infraction, rejected:
		return c.after(day, 15*day)
	case refunded, pendingCompliance, processed, canceled:
		return c.after(time.Second, 10*time.Minute)
	}
	return c.after(80*time.Millisecond, time.Second)
}
