package upstream

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"pixgraph/upstream/wire"
)

// DeliveryVerdict says whether a notification was delivered, as far as its record tells.
type DeliveryVerdict string

// The verdicts. Any other case is UNKNOWN.
const (
	Delivered         DeliveryVerdict = "DELIVERED"
	Rejected          DeliveryVerdict = "REJECTED"
	DestinationFailed DeliveryVerdict = "DESTINATION_FAILED"
	Redirected        DeliveryVerdict = "REDIRECTED"
	NotAttempted      DeliveryVerdict = "NOT_ATTEMPTED"
	Contradictory     DeliveryVerdict = "CONTRADICTORY"
)

// outcome is what an attempt, or all of them together, came to.
type outcome int

const (
	noAttempt  outcome = iota
	accepted           // 2xx, of any attempt
	redirected         // 3xx of the last attempt, as the outcomes below
	rejected           // 4xx
	failed             // 5xx
	silent             // no status code, or 0: the destination did not respond
	unreadable         // any other code, or an attempt that breaks the contract
)

// anyStatus stands for the statuses without a rule of their own.
const anyStatus NotificationStatus = ""

// deliveryRules are the verdicts by status and outcome. FAILED and ERROR have the same rules, because the spec shows no
// difference (spec 3.4). An outcome without a rule for the status has the rule of anyStatus. A status that the spec
// does not list is UNKNOWN: what it says about the delivery is not known.
var deliveryRules = map[NotificationStatus]map[outcome]DeliveryVerdict{
	anyStatus: {
		noAttempt: NotAttempted, accepted: Delivered, redirected: Redirected, rejected: Rejected,
		failed: DestinationFailed, silent: DestinationFailed,
	},
	"SENT": {
		noAttempt: Contradictory, redirected: Contradictory, rejected: Contradictory,
		failed: Contradictory, silent: Contradictory,
	},
	"FAILED": {accepted: Contradictory},
	"ERROR":  {accepted: Contradictory},
}

// verdictOf applies deliveryRules.
func verdictOf(status NotificationStatus, of outcome) DeliveryVerdict {
	if !status.Known() {
		return Unknown
	}
	if verdict, ok := deliveryRules[status][of]; ok {
		return verdict
	}
	if verdict, ok := deliveryRules[anyStatus][of]; ok {
		return verdict
	}
	return Unknown
}

// attempts summarizes the executions of a notification.
type attempts struct {
	list        []attempt
	first, last *attempt // by createdAt
	accepted    *attempt
	slowest     Decimal
}

// attempt is one execution.
type attempt struct {
	created moment
	code    *int32
	outcome outcome
}

// createdAt is the time of an attempt; nil if it is not valid.
func (a *attempt) createdAt() Text {
	if a == nil || !a.created.valid {
		return nil
	}
	return a.created.text
}

// summarize reads the executions. Of attempts with the same time or without one, the last of the list is the last; an
// attempt without a time is before those with one.
func summarize(list wire.Value, service Service) (attempts, error) {
	if err := CheckPresent(list); err != nil {
		return attempts{}, err
	}
	elements, err := list.Elements()
	if err != nil {
		return attempts{}, err
	}
	all := attempts{list: make([]attempt, 0, elements.Len())}
	slowest := math.Inf(-1)
	for elements.Next() {
		execution := Raw{service, elements.Value()}
		response := Raw{service, execution.get("response")}
		all.list = append(all.list, attemptOf(execution, response))
		if took, err := optional(response, "responseTime", ReadDecimal); err == nil && took != nil {
			if ms, _ := strconv.ParseFloat(string(took), 64); ms > slowest {
				slowest, all.slowest = ms, took
			}
		}
	}
	align(all.list, func(a *attempt) *moment { return &a.created })
	for i := range all.list {
		a := &all.list[i]
		if a.created.valid && (all.first == nil || a.created.compare(&all.first.created) < 0) {
			all.first = a
		}
		if all.last == nil || a.created.compare(&all.last.created) >= 0 {
			all.last = a
		}
		if a.outcome == accepted && all.accepted == nil {
			all.accepted = a
		}
	}
	return all, nil
}

// attemptOf reads one execution. The spec requires a status code; 0, null or none is read as a destination that did not
// respond, because HTTP has no such code.
func attemptOf(execution, response Raw) attempt {
	a := attempt{created: readMoment(execution.get("createdAt")), outcome: unreadable}
	if execution.Value.Kind() != '{' {
		return a
	}
	if value := execution.get("response"); value.Exists() && !value.IsNull() && value.Kind() != '{' {
		return a
	}
	value := response.get("statusCode")
	if !value.Exists() || value.IsNull() {
		a.outcome = silent
		return a
	}
	code, err := ReadInt32(value)
	if err != nil {
		return a
	}
	a.code = &code
	switch {
	case code == 0:
		a.outcome = silent
	case code >= 200 && code < 300:
		a.outcome = accepted
	case code >= 300 && code < 400:
		a.outcome = redirected
	case code >= 400 && code < 500:
		a.outcome = rejected
	case code >= 500 && code < 600:
		a.outcome = failed
	}
	return a
}

// appendDelivery is the derivation of Notification.delivery.
func appendDelivery(to []byte, n Raw) ([]byte, error) {
	status, err := enum[NotificationStatus](n, "status")
	if err != nil {
		status = Unknown
	}
	all, err := summarize(n.get("executions"), n.Service)
	if err != nil {
		return append(to, `{"verdict":"UNKNOWN","explanation":"The delivery attempts of the record cannot be read."}`...), nil
	}
	decides, of := cmp.Or(all.accepted, all.last), noAttempt
	if decides != nil {
		of = decides.outcome
	}
	verdict := verdictOf(status, of)
	to = append(to, `{"verdict":"`...)
	to = append(to, verdict...)
	to = append(to, `","explanation":"`...)
	to = append(to, explain(verdict, status, of, decides, len(all.list))...)
	to = append(to, `","attempts":`...)
	to = strconv.AppendInt(to, int64(len(all.list)), 10)
	to = appendMember(to, "firstAttemptAt", all.first.createdAt())
	to = appendMember(to, "lastAttemptAt", all.last.createdAt())
	if all.last != nil && all.last.code != nil {
		to = append(to, `,"lastStatusCode":`...)
		to = strconv.AppendInt(to, int64(*all.last.code), 10)
	}
	to = appendMember(to, "slowestResponseTime", all.slowest)
	return append(to, '}'), nil
}

// explain returns one sentence for people. It has values of the schema and numbers only, so that it needs no escapes
// and has no personal data.
func explain(verdict DeliveryVerdict, status NotificationStatus, of outcome, a *attempt, count int) string {
	result := responseOf(of, a, count)
	switch {
	case !status.Known():
		return "The status is not one that the API documents, and " + lowerFirst(result)
	case verdict == Contradictory:
		return fmt.Sprintf("The status is %s, but %s", status, lowerFirst(result))
	default:
		return result
	}
}

// responseOf says how the destination responded to the attempt that decides.
func responseOf(of outcome, a *attempt, count int) string {
	which := "the last of " + strconv.Itoa(count) + " attempts"
	if count == 1 {
		which = "the only attempt"
	}
	switch of {
	case noAttempt:
		return "No delivery attempt is recorded."
	case accepted:
		if count > 1 {
			which = "one of " + strconv.Itoa(count) + " attempts"
		}
		return fmt.Sprintf("The destination accepted %s with the status code %d.", which, *a.code)
	case redirected:
		return fmt.Sprintf("The destination responded to %s with a redirect, status code %d.", which, *a.code)
	case rejected:
		return fmt.Sprintf("The destination rejected %s with the status code %d.", which, *a.code)
	case failed:
		return fmt.Sprintf("The destination failed at %s with the status code %d.", which, *a.code)
	case silent:
		return fmt.Sprintf("For %s, no status code of a response is recorded.", which)
	default:
		return fmt.Sprintf("The result of %s cannot be read.", which)
	}
}

func lowerFirst(sentence string) string { return strings.ToLower(sentence[:1]) + sentence[1:] }
