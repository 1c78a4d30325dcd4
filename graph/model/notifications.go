package model

import (
	"pixgraph/graph/execute/projection"
	"pixgraph/upstream"
)

// Notifications are the notifications that refer to a transaction: TransactionNotifications in the schema.
type Notifications struct {
	Nodes  []*upstream.Notification // each once, in the order of Links; nil for one that could not be read
	Errors []error                  // of Nodes, by their index; nil for a notification
	Links  []*Link
}

// Link is an id that was tried: NotificationLink in the schema.
type Link struct {
	NotificationID string
	Source         Source
	State          State
	Notification   *upstream.Notification // nil unless it is Verified
}

// Source is where an id comes from. The schema has the same names.
type Source string

// The sources.
const (
	Argument Source = "ARGUMENT"
	Metadata Source = "METADATA"
	Learned  Source = "LEARNED"
)

// State is the result for an id. The schema has the same names.
type State string

// The results.
const (
	Verified    State = "VERIFIED"
	Mismatch    State = "MISMATCH"
	NotFound    State = "NOT_FOUND"
	Forbidden   State = "FORBIDDEN"
	Unavailable State = "UNAVAILABLE"
)

// Add adds a notification, or why it could not be read.
func (n *Notifications) Add(notification *upstream.Notification, err error) {
	n.Nodes, n.Errors = append(n.Nodes, notification), append(n.Errors, err)
}

// Field implements projection.Object.
func (n *Notifications) Field(name string) (any, error) {
	if name == "nodes" {
		return nodes{n}, nil
	}
	return tried(n.Links), nil
}

// nodes are the notifications. Embedding would make them a projection.Object.
type nodes struct{ of *Notifications }

// Len implements projection.Records.
func (n nodes) Len() int { return len(n.of.Nodes) }

// Raw implements projection.Records.
func (n nodes) Raw(i int) (upstream.Raw, error) {
	if err := n.of.Errors[i]; err != nil {
		return upstream.Raw{}, err
	}
	return upstream.RawOf(n.of.Nodes[i]), nil
}

type tried []*Link

// Len implements projection.Objects.
func (t tried) Len() int { return len(t) }

// Object implements projection.Objects.
func (t tried) Object(i int) projection.Object { return t[i] }

// Field implements projection.Object.
func (l *Link) Field(name string) (any, error) {
	switch name {
	case "notificationId":
		return l.NotificationID, nil
	case "source":
		return string(l.Source), nil
	case "state":
		return string(l.State), nil
	}
	if l.Notification != nil {
		return upstream.RawOf(l.Notification), nil
	}
	return upstream.Text(nil), nil
}
