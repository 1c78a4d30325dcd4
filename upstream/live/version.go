package live

import (
	"crypto/sha256"
	"hash"
	"strconv"
	"time"

	"pixgraph/upstream"
	"pixgraph/upstream/wire"
)

// Version identifies the content of a record or a page. It is the SHA-256 of its members, without those that differ at
// every read although nothing happened: how long the record has had its status, and the link to a receipt (spec 2.5).
type Version [sha256.Size]byte

// ofRecord describes a record.
func ofRecord[T upstream.Resource](record *T, err error) (*Reading, error) {
	if err != nil {
		return nil, err
	}
	raw := upstream.RawOf(record)
	h := sha256.New()
	write(h, raw.Value, upstream.ContractOf[T]().Volatile)
	status, _ := raw.Text("status", false) // one that breaks the contract is an error in the answer
	updated, _ := raw.Text("updatedAt", false)
	r := &Reading{Record: record, Status: status.String(), Updated: timeOf(updated), History: historyOf(raw)}
	h.Sum(r.Version[:0])
	return r, nil
}

// ofPage describes a page of a list.
func ofPage[T upstream.Resource](page *upstream.Page[T], err error) (*Reading, error) {
	if err != nil {
		return nil, err
	}
	h, volatile := sha256.New(), upstream.ContractOf[T]().Volatile
	for _, count := range []int64{page.Total, page.TotalPages, page.CurrentPage, page.PerPage} {
		_, _ = h.Write(strconv.AppendInt(nil, count, 10))
		_, _ = h.Write([]byte{','})
	}
	for _, record := range page.Records {
		raw, err := record.Raw()
		if err != nil {
			_, _ = h.Write(record.Bytes()) // not a record: an error in the answer
			continue
		}
		write(h, raw.Value, volatile)
	}
	r := &Reading{Record: page}
	h.Sum(r.Version[:0])
	return r, nil
}

// write writes a value without some members, in the order of the API.
func write(h hash.Hash, value wire.Value, without upstream.Members) {
	if elements, err := value.Elements(); err == nil {
		for elements.Next() {
			write(h, elements.Value(), without)
		}
		return
	}
	object, err := value.Members()
	if err != nil {
		_, _ = h.Write(value.Bytes())
		return
	}
	for object.Next() {
		_, _ = h.Write([]byte{','}) // separates a name from the values around it
		_, _ = h.Write(object.Name())
		_, _ = h.Write([]byte{':'})
		switch some, listed := without[string(object.Name())]; {
		case !listed:
			_, _ = h.Write(object.Value().Bytes())
		case some != nil:
			write(h, object.Value(), some)
		}
	}
}

// historyOf reads the statuses of a record. An entry that breaks the contract is an error in the answer; here it is
// ignored.
func historyOf(raw upstream.Raw) []Entry {
	list := raw.Value.Get("statusHistory")
	if !list.Exists() {
		return nil
	}
	elements, err := list.Elements()
	if err != nil {
		return nil
	}
	var entries []Entry
	for elements.Next() {
		entry := upstream.Raw{Service: raw.Service, Value: elements.Value()}
		if entry.Value.Kind() != '{' {
			continue
		}
		status, err := entry.Text("status", true)
		if err != nil {
			continue
		}
		date, _ := entry.Text("date", false)
		at, _, _ := upstream.ParseTime(date.String())
		entries = append(entries, Entry{status.String(), at})
	}
	return entries
}

// timeOf parses a date-time (spec 2); the zero time if it is not one, or has no offset, so that its instant is unknown.
func timeOf(text upstream.Text) time.Time {
	if t, instant, _ := upstream.ParseTime(text.String()); instant {
		return t
	}
	return time.Time{}
}
