package upstream

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Notification is a webhook with its delivery attempts (spec 2.4). Each accessor reads one field, and fails if that
// field breaks the contract.
type Notification struct{ object }

func (n *Notification) ID() (Text, error)              { return n.text("id") }
func (n *Notification) Hash() (Text, error)            { return n.text("hash") }
func (n *Notification) Tenant() (Text, error)          { return n.text("tenant") }
func (n *Notification) URL() (Text, error)             { return n.text("url") }
func (n *Notification) ReferenceID() (Text, error)     { return n.text("referenceId") }
func (n *Notification) Body() (JSON, error)            { return n.json("body") }
func (n *Notification) Tags() ([]Element[Text], error) { return n.texts("tags") }
func (n *Notification) Status() (NotificationStatus, error) {
	return enum[NotificationStatus](&n.object, "status")
}
func (n *Notification) StatusRaw() (Text, error) { return n.text("status") }
func (n *Notification) StatusHistory() ([]Element[NotificationStatusHistory], error) {
	return parts[NotificationStatusHistory](&n.object, "statusHistory")
}
func (n *Notification) CreatedAt() (Text, error) { return n.text("createdAt") }
func (n *Notification) UpdatedAt() (Text, error) { return n.text("updatedAt") }
func (n *Notification) Executions() ([]Element[Execution], error) {
	return parts[Execution](&n.object, "executions")
}
func (n *Notification) Error() (Text, error) { return n.maybeText("error") }

// NotificationStatusHistory is one status that a notification had (spec 2.5); its status is a plain string there.
type NotificationStatusHistory struct{ object }

func (h *NotificationStatusHistory) Status() (Text, error) { return h.text("status") }
func (h *NotificationStatusHistory) Date() (Text, error)   { return h.text("date") }
func (h *NotificationStatusHistory) DurationInMilliseconds() (Decimal, error) {
	return h.maybeDecimal("durationInMilliseconds")
}

// Execution is one attempt to deliver a notification (spec 2.5).
type Execution struct{ object }

func (e *Execution) URL() (Text, error)       { return e.text("url") }
func (e *Execution) Headers() (JSON, error)   { return e.maybeJSON("headers") }
func (e *Execution) CreatedAt() (Text, error) { return e.text("createdAt") }
func (e *Execution) Response() (*ExecutionResponse, error) {
	return part[ExecutionResponse](&e.object, "response")
}
func (e *Execution) UserID() (Text, error)  { return e.text("userId") }
func (e *Execution) StoreID() (Text, error) { return e.text("storeId") }

// ExecutionResponse is the response of the destination of a notification (spec 2.5 ResponseVo).
type ExecutionResponse struct{ object }

func (r *ExecutionResponse) StatusCode() (int32, error)     { return r.int32("statusCode") }
func (r *ExecutionResponse) Body() (JSON, error)            { return r.maybeJSON("body") }
func (r *ExecutionResponse) ResponseTime() (Decimal, error) { return r.decimal("responseTime") }

// maxNotificationID bounds a notification id, whose form the spec does not show. Escaped it is at most three times as long,
// which is below the 4 KiB and more that servers accept in a URL.
const maxNotificationID = 1024 // bytes

// ValidNotificationID reports whether id can be sent: valid UTF-8 that is neither empty nor too long, without control
// characters, and not "." or "..", which a proxy would resolve to another path.
func ValidNotificationID(id string) bool {
	return id != "" && id != "." && id != ".." && len(id) <= maxNotificationID && utf8.ValidString(id) &&
		!strings.ContainsFunc(id, unicode.IsControl)
}
