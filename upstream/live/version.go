package live

import (
	"crypto/sha256"
	"hash"
	"slices"
	"strconv"
	"time"

	"pixgraph/upstream"
	"pixgraph/upstream/wire"
)

// Version identifies the content of a record or a page. It is the SHA-256 of its members, without those that differ at every
// read although nothing happened: how long the record has had its status, and the link to a receipt (spec 2.5).
type Version [sha256.Size]byte

// volatile lists the members of a record that are not part of its version, with the members in them that are not.
var volatile = map[string][]string{
	"statusHistory":  {"durationInMilliseconds"},
	"paymentReceipt": {"url", "expirationDate"},
	"refundReceipt":  {"url", "expirationDate"},
}

// ofRecord describes a record.
func ofRecord[T upstream.Resource](record *T, err error) (*Reading, error) {
	if err != nil {
		return nil, err
	}
	raw := upstream.RawOf(record)
	h := sha256.New()
	writeRecord(h, raw.Value)
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
	h := sha256.New()
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
		writeRecord(h, raw.Value)
	}
	r := &Reading{Record: page}
	h.Sum(r.Version[:0])
	return r, nil
}

// writeRecord writes the members of a record.
func writeRecord(h hash.Hash, record wire.Value) {
	members, err := record.Members()
	if err != nil {
		_, _ = h.Write(record.Bytes())
		return
	}
	for members.Next() {
		writeName(h, members.Name())
		if without, ok := volatile[string(members.Name())]; ok {
			writeWithout(h, members.Value(), without)
		} else {
			_, _ = h.Write(members.Value().Bytes())
		}
	}
}

// writeWithout writes an object, or each object of a list, without some of its members.
func writeWithout(h hash.Hash, value wire.Value, without []string) {
	if elements, err := value.Elements(); err == nil {
		for elements.Next() {
			writeWithout(h, elements.Value(), without)
		}
		return
	}
	members, err := value.Members()
	if err != nil {
		_, _ = h.Write(value.Bytes())
		return
	}
	for members.Next() {
		writeName(h, members.Name())
		if !slices.Contains(without, string(members.Name())) {
			_, _ = h.Write(members.Value().Bytes())
		}
	}
}

// historyOf reads the statuses of a record. An entry that breaks the contract is an error in the answer, and is ignored here.
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
		entries = append(entries, Entry{status.String(), timeOf(date)})
	}
	return entries
}

// timeOf parses a date-time (spec 2); the zero time if it is not one, or lacks an offset, so that its instant is not known.
func timeOf(text upstream.Text) time.Time {
	s := text.String()
	if t, ok := upstream.ParseDateTime(s); ok && upstream.HasOffset(s) {
		return t
	}
	return time.Time{}
}

// writeName separates a name from the values around it.
func writeName(h hash.Hash, name []byte) {
	_, _ = h.Write([]byte{','})
	_, _ = h.Write(name)
	_, _ = h.Write([]byte{':'})
}
