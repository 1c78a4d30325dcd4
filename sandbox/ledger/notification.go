package ledger

import (
	"fmt"
	"strings"
	"time"
)

// notification is a Notification of spec 2.4.
type notification struct {
	ID            string               `json:"id"`
	Hash          string               `json:"hash"`
	Tenant        string               `json:"tenant"`
	URL           string               `json:"url"`
	ReferenceID   string               `json:"referenceId"`
	Body          any                  `json:"body"`
	Tags          []string             `json:"tags"`
	Status        string               `json:"status"`
	StatusHistory []notificationStatus `json:"statusHistory"`
	CreatedAt     timestamp            `json:"createdAt"`
	UpdatedAt     timestamp            `json:"updatedAt"`
	Executions    []execution          `json:"executions"`
	Error         *string              `json:"error"`
}

// notificationStatus is a NotificationStatusHistory of spec 2.5. Its duration is that of the previous status.
type notificationStatus struct {
	Status   string          `json:"status"`
	Date     timestamp       `json:"date"`
	Duration optional[int64] `json:"durationInMilliseconds,omitzero"`
}

// occasion is the event that a notification reports.
type occasion struct {
	kind, reference, status string
	amount                  int64
	at                      time.Time
	to                      *merchant
}

// notification creates the notification with this index.
func (g *generator) notification(i int, o occasion) *notification {
	d := newDraw(g.seed, notificationStream, i)
	c := &clock{draw: d, anchor: g.anchor, at: o.at}
	at := c.after(20*time.Millisecond, 2*time.Second)
	n := &notification{
		ID: g.notificationID(d, at), Hash: d.hex(64), Tenant: o.to.tenant, URL: o.to.webhookBase + "/webhooks/" + o.kind,
		ReferenceID: o.reference, Body: d.payload(o), Tags: []string{}, CreatedAt: timestamp(at), Executions: []execution{},
	}
	if !d.chance(8) {
		n.Tags = []string{o.kind, strings.ToLower(o.status), "loja " + o.to.home.name}
	}
	user := d.uuid()
	for _, status := range pickPath(d, notificationPaths) {
		if status != received {
			at = c.after(30*time.Millisecond, 10*time.Minute)
		}
		n.reach(d, status, at)
		switch status {
		case sent, failed:
			n.Executions = append(n.Executions, d.execution(o.to, n.URL, user, at, status == sent))
		case errored:
			n.Executions = append(n.Executions, d.execution(o.to, n.URL, user, at, false))[:d.r.IntN(2)]
		}
	}
	return n
}

func (n *notification) reach(d draw, status string, at time.Time) {
	s := notificationStatus{Status: status, Date: timestamp(at), Duration: nothing[int64](d)}
	if len(n.StatusHistory) > 0 {
		s.Duration = maybe(d, at.Sub(time.Time(n.UpdatedAt)).Milliseconds())
	}
	n.StatusHistory, n.UpdatedAt, n.Error = append(n.StatusHistory, s), timestamp(at), nil
	if status != "RETRYING" {
		n.Status = status
	}
	switch status {
	case failed:
		n.Error = new("destination answered with an error")
	case errored:
		n.Error = new("connect ECONNREFUSED 192.0.2.1:443")
	}
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
