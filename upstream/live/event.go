package live

import (
	"slices"
	"time"
)

// Reason says why a stream gets an event.
type Reason string

// The reasons of events.
const (
	Snapshot  Reason = "SNAPSHOT"  // the first event of a stream
	Changed   Reason = "CHANGED"   // the answer is another one
	Reached   Reason = "REACHED"   // a status of Until was reached; the event is final
	Stale     Reason = "STALE"     // a read or an execution has failed for a while; the event has no answer
	Recovered Reason = "RECOVERED" // there is an answer again
	Failed    Reason = "FAILED"    // the token may not read the subject, or it does not exist; the event is final
)

// Event is what a stream is notified of. All streams of a cohort share its Answer, which must not be modified.
type Event struct {
	Reason   Reason
	Answer   []byte        // from Request.Execute; nil for Stale and Failed
	Reading  *Reading      // of Reached without Request.Execute; the Sink must release it
	Err      error         // of Stale and Failed: an *upstream.Error, or what Request.Execute returned
	Observed time.Time     // when the subject was read
	Updated  time.Time     // updatedAt of the record; the zero time for a list
	Next     time.Duration // until the next read; 0 for a final event
	Final    bool          // the stream ends with this event
}

// End says why a stream ended.
type End string

// The reasons of ends.
const (
	EndFinal    End = "final"    // after a final event
	EndClient   End = "client"   // the client left
	EndSlow     End = "slow"     // the client did not read, or there was no memory for an event
	EndExpired  End = "expired"  // the token expired
	EndLifetime End = "lifetime" // the stream reached its lifetime
	EndDrain    End = "drain"    // the gateway shuts down
	EndFault    End = "fault"    // a bug of the gateway
)

// Sink sends the events of a stream to its client. One goroutine calls it at a time. An error ends the stream.
type Sink interface {
	Send(Event) error
	Heartbeat() error
	// End is the last call.
	End(End)
}

// Until is the status that a stream waits for. The zero value waits for nothing.
type Until struct {
	Statuses []string
	// Since makes entries of the status history count from a time on, so that a client that returns misses nothing.
	// Without it, entries count that the first reading did not have. So do those whose date is not a time: they are
	// known to be new, or else not to be.
	Since time.Time
}

// reached reports whether a reading has reached a status. known is the number of entries that do not count.
func (u Until) reached(r *Reading, known int) bool {
	return slices.Contains(u.Statuses, r.Status) || u.entries(r) > known
}

// entries counts the entries of the history that have a status of Until, since Since or at an unknown time.
func (u Until) entries(r *Reading) int {
	return u.count(r, func(e Entry) bool { return e.Since.IsZero() || !e.Since.Before(u.Since) })
}

// known counts the entries of the first reading that do not count because they are not known to be new.
func (u Until) known(r *Reading) int {
	return u.count(r, func(e Entry) bool { return e.Since.IsZero() || u.Since.IsZero() })
}

func (u Until) count(r *Reading, counts func(Entry) bool) (n int) {
	for _, entry := range r.History {
		if slices.Contains(u.Statuses, entry.Status) && counts(entry) {
			n++
		}
	}
	return n
}
