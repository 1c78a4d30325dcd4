package upstream

import (
	"slices"
	"strconv"
	"time"

	"pixgraph/upstream/wire"
)

// TimelineSource is the member of a record that an entry comes from.
type TimelineSource string

// statusHistorySource is the source of several entries; the others are in timelineMembers.
const statusHistorySource TimelineSource = "STATUS_HISTORY"

// timelineMembers are the members of records with a time (spec 2.1 to 2.3), in the order for entries of the same time.
// The history comes after the first.
var timelineMembers = []struct {
	source  TimelineSource
	in, has string // the member, in an object of the record or directly in it
}{
	{"CREATED_AT", "", "createdAt"},
	{"PAYMENT_DATE", "", "paymentDate"},
	{"PROCESSED_DATE", "", "processedDate"},
	{"INFRACTION_DATE", "", "infractionDate"},
	{"REFUND_DATE", "", "refundDate"},
	{"UPDATED_AT", "", "updatedAt"},
	{"PIX_EXPIRATION", "pixResponse", "expirationDate"},
}

// timelineEntry is a dated fact of a record.
type timelineEntry struct {
	moment
	source   TimelineSource
	index    int
	status   Text
	duration Decimal
}

// appendTimeline is the derivation of the timelines of transactions, deposits and withdrawals. Members that are absent
// or null, or stand for no time, have no entry: their fact did not happen.
func appendTimeline(to []byte, record Raw) ([]byte, error) {
	entries, err := timelineOf(record)
	if err != nil {
		return nil, err
	}
	align(entries, func(e *timelineEntry) *moment { return &e.moment })
	slices.SortStableFunc(entries, func(a, b timelineEntry) int {
		if a.valid != b.valid {
			return b.compare(&a.moment) // those without a valid time are at the end
		}
		return a.compare(&b.moment)
	})
	to = append(to, '[')
	for i := range entries {
		if i > 0 {
			to = append(to, ',')
		}
		var previous moment
		if i > 0 {
			previous = entries[i-1].moment
		}
		to = entries[i].append(to, previous)
	}
	return append(to, ']'), nil
}

// timelineOf returns the entries of a record in the order for entries of the same time.
func timelineOf(record Raw) ([]timelineEntry, error) {
	history, err := required(record, "statusHistory", wire.Value.Elements)
	if err != nil {
		return nil, err
	}
	entries := make([]timelineEntry, 0, history.Len()+len(timelineMembers))
	for i, member := range timelineMembers {
		holder := record
		if member.in != "" {
			holder.Value = record.get(member.in)
		}
		if value := holder.get(member.has); value.Exists() && !value.IsNull() {
			if at := readMoment(value); !at.none {
				entries = append(entries, timelineEntry{moment: at, source: member.source})
			}
		}
		for index := 0; i == 0 && history.Next(); index++ {
			of := Raw{record.Service, history.Value()}
			entry := timelineEntry{moment: readMoment(of.get("date")), source: statusHistorySource, index: index}
			entry.status, _ = of.Text("status", false)
			entry.duration, _ = optional(of, "durationInMilliseconds", ReadDecimal)
			entries = append(entries, entry)
		}
	}
	return entries, nil
}

// append writes the entry. previous is the moment of the entry before.
func (e *timelineEntry) append(to []byte, previous moment) []byte {
	to = append(to, `{"source":"`...)
	to = append(to, e.source...)
	to = append(to, '"')
	if e.source == statusHistorySource {
		to = append(to, `,"index":`...)
		to = strconv.AppendInt(to, int64(e.index), 10)
	}
	to = appendMember(to, "at", e.text)
	to = appendMember(to, "status", e.status)
	to = appendMember(to, "durationInMilliseconds", e.duration)
	if e.valid && previous.valid {
		to = append(to, `,"sincePreviousInMilliseconds":`...)
		to = appendMilliseconds(to, previous.time, e.time)
	}
	return append(to, '}')
}

// appendMilliseconds appends the exact time between two times, the first of which is not later. A Duration would
// overflow after 292 years.
func appendMilliseconds(to []byte, from, until time.Time) []byte {
	seconds, nanoseconds := until.Unix()-from.Unix(), until.Nanosecond()-from.Nanosecond()
	if nanoseconds < 0 {
		seconds, nanoseconds = seconds-1, nanoseconds+int(time.Second)
	}
	to = strconv.AppendInt(to, seconds*1000+int64(nanoseconds/int(time.Millisecond)), 10)
	if rest := nanoseconds % int(time.Millisecond); rest > 0 {
		digits := strconv.Itoa(int(time.Millisecond) + rest)[1:] // six digits
		to = append(to, '.')
		to = append(to, []byte(digits)...)
		for to[len(to)-1] == '0' {
			to = to[:len(to)-1]
		}
	}
	return to
}
