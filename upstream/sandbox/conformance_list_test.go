package sandbox_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pixgraph/upstream/sandbox/ledger"
)

// records checks every record of the first page against the spec's table.
func (c *conformance) records(t *testing.T, address string, want shape) {
	p := c.page(t, address)
	if p.Total == 0 || len(p.Data) == 0 {
		t.Fatal("no records")
	}
	if p.CurrentPage != 1 {
		t.Errorf("currentPage %d for a call without a page", p.CurrentPage)
	}
	if len(p.Data) > p.PerPage || p.Total < len(p.Data) || p.TotalPages != (p.Total+p.PerPage-1)/p.PerPage {
		t.Errorf("total %d, totalPages %d, perPage %d, but %d records", p.Total, p.TotalPages, p.PerPage, len(p.Data))
	}
	for _, record := range p.Data {
		raw, err := json.Marshal(record)
		if err != nil {
			t.Fatal(err)
		}
		if err := want(raw); err != nil {
			t.Errorf("record %s: %v", record["id"], err)
		}
	}
}

// dateValidations: an ISO 8601 date-time with time, sent once.
var dateValidations = []validation{
	{"start", "startDate=2024-01-31T10:00:00Z", 200},
	{"end", "endDate=2024-01-31T10:00:00Z", 200},
	{"milliseconds", "startDate=2024-01-31T10:00:00.123Z", 200},
	{"offset", "startDate=2024-01-31T10:00:00-03:00", 200},
	{"offset with an encoded plus", "startDate=2024-01-31T10:00:00%2B03:00", 200},
	{"leap day", "startDate=2024-02-29T10:00:00Z", 200},
	{"only an end, in the past", "endDate=1999-01-31T10:00:00Z", 200},
	{"date only", "startDate=2024-01-31", 422},
	{"end date only", "endDate=2024-01-31", 422},
	{"empty", "startDate=", 422},
	{"word", "startDate=yesterday", 422},
	{"unix time", "startDate=1706695200", 422},
	{"month 13", "startDate=2024-13-01T10:00:00Z", 422},
	{"no leap day", "startDate=2023-02-29T10:00:00Z", 422},
	{"hour 25", "startDate=2024-01-31T25:00:00Z", 422},
	{"minute 60", "startDate=2024-01-31T10:60:00Z", 422},
	{"plus not encoded", "startDate=2024-01-31T10:00:00+03:00", 422},
	{"leading space", "startDate=%202024-01-31T10:00:00Z", 422},
	{"space instead of T", "startDate=2024-01-31%2010:00:00Z", 422},
	{"English", "startDate=01/31/2024%2010:00", 422},
	{"trailing garbage", "startDate=2024-01-31T10:00:00Zx", 422},
}

// listValidations: an array parameter is sent by repeating its name, is not empty and has no duplicates.
func listValidations(name string, values []string) []validation {
	p := name + "="
	return []validation{
		{"one", p + values[0], 200},
		{"two", p + values[0] + "&" + p + values[1], 200},
		{"all", p + strings.Join(values, "&"+p), 200},
		{"empty", p, 422},
		{"empty among others", p + values[0] + "&" + p, 422},
		{"duplicate", p + values[0] + "&" + p + values[0], 422},
		{"unknown", p + "NOPE", 422},
		{"unknown among others", p + values[0] + "&" + p + "NOPE", 422},
		{"lower case", p + strings.ToLower(values[0]), 422},
		{"comma-joined", p + values[0] + "," + values[1], 422},
		{"comma-joined, encoded", p + values[0] + "%2C" + values[1], 422},
		{"leading space", p + "%20" + values[0], 422},
	}
}

// amountValidations: integer cents from least to 10000000 (spec 8).
func amountValidations(least, below string) []validation {
	var rows []validation
	for _, name := range []string{"minAmount", "maxAmount"} {
		p := name + "="
		rows = append(rows, []validation{
			{name + " least", p + least, 200},
			{name + " most", p + "10000000", 200},
			{name + " below", p + below, 422},
			{name + " above", p + "10000001", 422},
			{name + " zero", p + "0", 422},
			{name + " negative", p + "-100", 422},
			{name + " fraction", p + "100.5", 422},
			{name + " exponent", p + "1e3", 422},
			{name + " empty", p, 422},
			{name + " word", p + "abc", 422},
			{name + " hexadecimal", p + "0x64", 422},
			{name + " not a number", p + "NaN", 422},
			{name + " beyond 64 bits", p + "99999999999999999999", 422},
		}...)
	}
	return append(rows, validation{"both", "minAmount=100&maxAmount=200", 200})
}

// filtersByList: an array filter returns records with the given values and no others.
func (c *conformance) filtersByList(t *testing.T, address, name string, values []string) {
	for _, want := range values {
		t.Run("filters "+want, func(t *testing.T) {
			for _, record := range c.page(t, address+"?"+name+"="+want).Data {
				if got := text(t, record, name); got != want {
					t.Errorf("a record of %s %s", name, got)
				}
			}
		})
	}
	t.Run("filters two values", func(t *testing.T) {
		p := c.page(t, address+"?"+name+"="+values[0]+"&"+name+"="+values[1])
		one, two := c.page(t, address+"?"+name+"="+values[0]), c.page(t, address+"?"+name+"="+values[1])
		if p.Total != one.Total+two.Total {
			t.Errorf("total %d of both, %d and %d of each", p.Total, one.Total, two.Total)
		}
		for _, record := range p.Data {
			if got := text(t, record, name); !slices.Contains(values[:2], got) {
				t.Errorf("a record of %s %s", name, got)
			}
		}
	})
}

// filtersByAmount uses amounts of the records as bounds.
func (c *conformance) filtersByAmount(t *testing.T, address string) {
	t.Run("filters", func(t *testing.T) {
		all := c.page(t, address)
		bound := string(all.Data[0]["amount"])
		low, high := c.page(t, address+"?maxAmount="+bound), c.page(t, address+"?minAmount="+bound)
		exact := c.page(t, address+"?minAmount="+bound+"&maxAmount="+bound)
		if exact.Total == 0 || low.Total+high.Total-exact.Total != all.Total {
			t.Errorf("totals: all %d, up to %s %d, from it %d, equal %d", all.Total, bound, low.Total, high.Total, exact.Total)
		}
		for _, record := range exact.Data {
			if string(record["amount"]) != bound {
				t.Errorf("amount %s, want %s", record["amount"], bound)
			}
		}
	})
}

// lists compares lists with the ledger, for behaviour that the spec does not show.
func (c *conformance) lists(t *testing.T, address string, entries []*ledger.Entry) {
	t.Run("newest first", func(t *testing.T) {
		p := c.page(t, address)
		for i, record := range p.Data {
			if text(t, record, "id") != entries[i].ID {
				t.Fatalf("record %d is not the ledger's", i)
			}
		}
	})
	middle := entries[len(entries)/2].CreatedAt
	count := func(keep func(time.Time) bool) (n int) {
		for _, e := range entries {
			if keep(e.CreatedAt) {
				n++
			}
		}
		return n
	}
	at := middle.Format("2006-01-02T15:04:05.000Z07:00")
	local := middle.In(time.FixedZone("", -3*60*60)).Format("2006-01-02T15:04:05.000Z07:00")
	tests := []struct {
		name, query string
		want        int
	}{
		{"from an instant", "startDate=" + at, count(func(t time.Time) bool { return !t.Before(middle) })},
		{"to an instant", "endDate=" + at, count(func(t time.Time) bool { return !t.After(middle) })},
		{"an instant", "startDate=" + at + "&endDate=" + at, count(middle.Equal)},
		{"the same with an offset", "startDate=" + local + "&endDate=" + local, count(middle.Equal)},
		{"the same without one", "startDate=" + strings.TrimSuffix(at, "Z") + "&endDate=" + strings.TrimSuffix(at, "Z"), count(middle.Equal)},
		{"contradictory dates", "startDate=" + at + "&endDate=2000-01-01T00:00:00Z", 0},
		{"contradictory amounts", "minAmount=200&maxAmount=100", 0},
		{"unknown parameters are ignored", "colour=red&colour=blue", len(entries)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := c.page(t, address+"?"+tt.query).Total; got != tt.want {
				t.Errorf("total %d, want %d", got, tt.want)
			}
		})
	}
	c.validations(t, address, []validation{
		{"scalar sent twice", "minAmount=100&minAmount=100", 422},
		{"date sent twice", "startDate=2024-01-31T10:00:00Z&startDate=2024-01-31T10:00:00Z", 422},
		{"invalid encoding", "status=%zz", 422},
		{"leading zero", "minAmount=0100", 422},
		{"sign", "minAmount=%2B100", 422},
		{"date with a one-digit hour", "startDate=2024-01-31T1:00:00Z", 422},
		{"date with a comma", "startDate=2024-01-31T10:00:00,5Z", 422},
		{"date in lower case", "startDate=2024-01-31t10:00:00z", 422},
		{"date without seconds", "startDate=2024-01-31T10:00Z", 200},
	})
	t.Run("violations in the order of the table", func(t *testing.T) {
		got := c.get(t, address+"?maxAmount=0&status=&startDate=x&endDate=2024-01-31T10:00:00Z")
		var p struct {
			StatusCode int
			Message    string
			Errors     []struct{ Field, Message string }
		}
		if err := json.Unmarshal(got.body, &p); err != nil || p.StatusCode != http.StatusUnprocessableEntity || p.Message == "" {
			t.Fatalf("body %s, error %v", got.body, err)
		}
		var fields []string
		for _, e := range p.Errors {
			fields = append(fields, e.Field)
		}
		if want := []string{"startDate", "status", "maxAmount"}; !slices.Equal(fields, want) {
			t.Errorf("errors of %v, want %v", fields, want)
		}
	})
}
