package ledger

import (
	"fmt"
	"strings"
	"time"
)

// occasion is the event that a notification reports.
type occasion struct {
	kind, reference, status string
	amount                  int64
	at                      time.Time
	to                      *merchant
}

// notification creates the notification with this index (spec 2.4).
func (g *generator) notification(i int, o occasion) object {
	d := newDraw(g.seed, notificationStream, i)
	c := &clock{draw: d, anchor: g.anchor, at: o.at}
	at := c.after(20*time.Millisecond, 2*time.Second)
	url := o.to.webhookBase + "/webhooks/" + o.kind
	n := object{
		{"id", g.notificationID(d, at)}, {"hash", d.hex(64)}, {"tenant", o.to.tenant}, {"url", url},
		{"referenceId", o.reference}, {"body", d.payload(o)}, {"createdAt", timestamp(at)},
	}
	tags := []string{}
	if !d.chance(8) {
		tags = []string{o.kind, strings.ToLower(o.status), "loja " + o.to.home.name}
	}
	user, before := d.uuid(), at
	executions, history := []object{}, []object{}
	for _, status := range pickPath(d, notificationPaths) {
		if status != received {
			at = c.after(30*time.Millisecond, 10*time.Minute)
		}
		duration := d.nothing() // that of the previous status
		if len(history) > 0 {
			duration = d.maybe(at.Sub(before).Milliseconds())
		}
		before, history = at, append(history, object{{"status", status}, {"date", timestamp(at)}, {"durationInMilliseconds", duration}})
		if status != "RETRYING" {
			n.set("status", status)
		}
		n.set("error", nil)
		switch status {
		case sent:
			executions = append(executions, d.execution(o.to, url, user, at, true))
		case failed:
			n.set("error", "destination answered with an error")
			executions = append(executions, d.execution(o.to, url, user, at, false))
		case errored:
			n.set("error", "connect ECONNREFUSED 192.0.2.1:443")
			executions = append(executions, d.execution(o.to, url, user, at, false))[:d.r.IntN(2)]
		}
	}
	return append(n, object{{"tags", tags}, {"statusHistory", history}, {"updatedAt", timestamp(at)}, {"executions", executions}}...)
}

// payload is the body of the webhook, which the spec does not show. It is an
// object or a string, and a string is JSON, a form or plain text.
func (d draw) payload(o occasion) any {
	body := object{
		{"id", o.reference}, {"type", o.kind}, {"status", o.status}, {"amount", o.amount},
		{"date", timestamp(o.at)}, {"payer", object{{"name", pick(d, firstNames)}, {"document", nil}}},
	}
	switch d.r.IntN(10) {
	case 0:
		return fmt.Sprintf(`{"id":%q,"status":%q,"amount":%d}`, o.reference, o.status, o.amount)
	case 1:
		return fmt.Sprintf("id=%s&status=%s&amount=%d", o.reference, o.status, o.amount)
	case 2:
		return "Transação " + o.status + " ✔"
	}
	return body
}

// notificationID is 24 hexadecimal characters, the first eight of them a
// time, which is relative to defaultNow, so that the id does not depend on the
// reference time. The spec shows no form. It is not a UUID, so that no client
// relies on that.
func (g *generator) notificationID(d draw, at time.Time) string {
	return fmt.Sprintf("%08x", defaultNow.Add(at.Sub(g.anchor)).Unix()) + d.hex(16)
}
