package summary_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/internal/leaktest"
	"pixgraph/sandbox"
	"pixgraph/sandbox/ledger"
	"pixgraph/test/gatewaytest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

type options = gatewaytest.Options

// records sets the number of records of the sandbox.
func records(n int) func(*options) {
	return func(o *options) { o.Sandbox.Records = n }
}

// sums are the count and the sums of some records, computed with fractions; a nil sum is null.
type sums struct {
	count                           int
	amount, moved, refund, fee, net *big.Rat
	feeMissing                      bool // of a deposit with an amount paid, so that the net amount is not known
}

func (s *sums) add(record map[string]any, moved string) {
	s.count++
	number := func(member string) *big.Rat {
		text, ok := record[member].(json.Number)
		if !ok {
			return nil
		}
		value, _ := new(big.Rat).SetString(text.String())
		return value
	}
	paid, fee := number("amountPaid"), number("feeAmount")
	var net *big.Rat
	if paid != nil && fee == nil {
		s.feeMissing = true
	} else if paid != nil {
		net = new(big.Rat).Sub(paid, fee)
		if refund := number("refundAmount"); refund != nil {
			net.Sub(net, refund)
		}
	}
	for into, value := range map[**big.Rat]*big.Rat{
		&s.amount: number("amount"), &s.moved: number(moved), &s.refund: number("refundAmount"), &s.fee: fee, &s.net: net,
	} {
		if value == nil {
			continue
		}
		if *into == nil {
			*into = new(big.Rat)
		}
		(*into).Add(*into, value)
	}
}

// want fails the test unless the sums at a path are these.
func (s *sums) want(r gatewaytest.Response, moved string, path ...any) {
	r.T.Helper()
	if got := fmt.Sprint(r.At(append(path, "count")...)); got != fmt.Sprint(s.count) {
		r.T.Errorf("%v: count %s, want %d", path, got, s.count)
	}
	members := map[string]*big.Rat{"amount": s.amount, moved: s.moved, "refundAmount": s.refund, "feeAmount": s.fee}
	if moved == "amountPaid" {
		members["netAmount"] = s.net
		if s.feeMissing {
			members["netAmount"] = nil
		}
	}
	for member, want := range members {
		got := r.At(append(slices.Clone(path), member)...)
		if got == nil || want == nil {
			if got != nil || want != nil {
				r.T.Errorf("%v: %s is %v, want %v", path, member, got, want)
			}
			continue
		}
		value, ok := new(big.Rat).SetString(got.(string))
		if !ok || value.Cmp(want) != 0 {
			r.T.Errorf("%v: %s is %v, want %s", path, member, got, want.FloatString(10))
		}
	}
}

// list is a list of the sandbox, and how it is summed here.
type list struct {
	field, moved, by string
	entries          func(*ledger.Ledger) []*ledger.Entry
}

var lists = []list{
	{"depositSummary", "amountPaid", "DAY, STATUS, ORIGIN", (*ledger.Ledger).Deposits},
	{"withdrawalSummary", "amountWithdrawn", "DAY, STATUS", (*ledger.Ledger).Withdrawals},
}

// document selects a summary with these arguments.
func (l list) document(arguments string) string {
	parts := "count amount refundAmount feeAmount " + l.moved
	origin := ""
	if l.field == "depositSummary" {
		parts += " netAmount"
		origin = " depositOrigin depositOriginRaw"
	}
	return "{ " + l.field + arguments + " { " + parts + " unreadable pagesRead complete reason groups { status statusRaw day" + origin +
		" " + parts + " } } }"
}

// sumsOf sums records, in all and by group.
func (l list) sumsOf(t testing.TB, entries []*ledger.Entry, zone string) (all sums, groups map[string]*sums) {
	t.Helper()
	location, err := time.LoadLocation(zone)
	must(t, err)
	groups = map[string]*sums{}
	for _, entry := range entries {
		decoder := json.NewDecoder(strings.NewReader(string(entry.JSON())))
		decoder.UseNumber()
		record := map[string]any{}
		must(t, decoder.Decode(&record))
		at, err := time.Parse(time.RFC3339, record["createdAt"].(string))
		must(t, err)
		key := at.In(location).Format("2006-01-02") + " " + record["status"].(string)
		if origin, ok := record["depositOrigin"]; ok {
			key += " " + origin.(string)
		}
		if groups[key] == nil {
			groups[key] = &sums{}
		}
		all.add(record, l.moved)
		groups[key].add(record, l.moved)
	}
	return all, groups
}

// TestSums: the sums are those of an independent sum, in all and by group, with one call for each page.
func TestSums(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gatewaytest.Start(t, records(250))
		for _, l := range lists {
			for _, zone := range []string{"America/Sao_Paulo", "Pacific/Kiritimati"} {
				gatewaytest.Row(t, l.field+" in "+zone, func(t testing.TB) {
					g := g.Within(t)
					entries := l.entries(g.Box.Ledger())
					all, groups := l.sumsOf(t, entries, zone)
					g.Box.ResetCalls()
					r := g.Query(l.document(fmt.Sprintf("(groupBy: [%s], timeZone: %q)", l.by, zone))).WantOK()
					all.want(r, l.moved, l.field)
					wantPages(r, l.field, (len(entries)+99)/100, "")
					g.WantCalls((len(entries)+99)/100, g.Token)
					var keys []string
					for i := range r.List(l.field, "groups") {
						key := r.Text(l.field, "groups", i, "day") + " " + r.Text(l.field, "groups", i, "status")
						if l.field == "depositSummary" {
							key += " " + r.Text(l.field, "groups", i, "depositOrigin")
						}
						keys = append(keys, key)
						if groups[key] == nil {
							t.Fatalf("no record has the group %s", key)
						}
						groups[key].want(r, l.moved, l.field, "groups", i)
					}
					if !slices.Equal(keys, slices.Sorted(maps.Keys(groups))) {
						t.Errorf("%d groups, want %d in their order", len(keys), len(groups))
					}
				})
			}
		}
	})
}

// wantPages fails the test unless the summary says that it has read n pages, and for which reason it is not complete.
func wantPages(r gatewaytest.Response, field string, n int, reason string) {
	r.T.Helper()
	var want any
	if reason != "" {
		want = reason
	}
	if got := r.At(field, "reason"); got != want || r.At(field, "complete") != (reason == "") {
		r.T.Errorf("reason %v, complete %v, want %v", got, r.At(field, "complete"), want)
	}
	if got := fmt.Sprint(r.At(field, "pagesRead")); got != fmt.Sprint(n) {
		r.T.Errorf("%s pages read, want %d", got, n)
	}
}

// TestFilter: a filter is sent with each page, and the sums are those of the records that match.
func TestFilter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gatewaytest.Start(t, records(600))
		l := lists[0]
		var paid []*ledger.Entry
		for _, entry := range g.Box.Ledger().Deposits() {
			if entry.Status == "PAID" {
				paid = append(paid, entry)
			}
		}
		all, _ := l.sumsOf(t, paid, "UTC")
		r := g.Query(l.document("(filter: { status: [PAID] })")).WantOK()
		all.want(r, l.moved, l.field)
		wantPages(r, l.field, (len(paid)+99)/100, "")
		if len(paid) < 101 || len(r.List(l.field, "groups")) != 0 {
			t.Errorf("%d records, groups %v", len(paid), r.At(l.field, "groups"))
		}
	})
}

// TestLargeNumbers: sums are exact beyond 64 bits, and with fractions.
func TestLargeNumbers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gatewaytest.Start(t, records(1))
		const record = `{"id":"b0e7c5a2-0d6d-4a5f-9a53-00000000000%d","amount":9223372036854775807,"amountWithdrawn":0.%d,` +
			`"status":"NEW \"\u00e9","createdAt":"2026-01-01T02:59:59.999Z"}`
		for i := range 9 {
			g.Box.Ledger().Put(ledger.Withdrawal, ledger.NewEntry(fmt.Appendf(nil, record, i, i+1)))
		}
		r := g.Query(lists[1].document(`(groupBy: [STATUS, DAY], filter: { startDate: "2025-12-31T00:00Z" })`)).WantOK()
		got := fmt.Sprint(r.At("withdrawalSummary", "groups", 0))
		want := fmt.Sprint(map[string]any{
			"status": "UNKNOWN", "statusRaw": "NEW \"é", "day": "2025-12-31", "count": 9,
			"amount": "83010348331692982263", "amountWithdrawn": "4.5", "refundAmount": nil, "feeAmount": nil,
		})
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}

// TestEscapes: records with the same text are in one group, however the API escapes it.
func TestEscapes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gatewaytest.Start(t, records(1))
		body := `{"total":3,"totalPages":1,"currentPage":1,"perPage":100,"data":[{"id":"1","amount":1,"status":"PAID","depositOrigin":"a/\u00e9\"<"},
			{"id":"2","amount":2,"status":"P\u0041ID","depositOrigin":"a\/é\"<"},{"id":"3","amount":4,"status":"\u0050AID","depositOrigin":"a\u002fé\u0022\u003c"}]}`
		g.Box.Inject(sandbox.Fault{Body: []byte(body)})
		r := g.Query(lists[0].document(`(groupBy: [STATUS, ORIGIN])`)).WantOK()
		got, group := r.List("depositSummary", "groups"), []any{"depositSummary", "groups", 0}
		if len(got) != 1 || r.At(append(group, "status")...) != "PAID" || r.At(append(group, "depositOriginRaw")...) != `a/é"<` ||
			r.At(append(group, "amount")...) != "7" {
			t.Errorf("%v", got)
		}
	})
}

// TestNoRecords: the sums of a list that is known to be empty are 0.
func TestNoRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gatewaytest.Start(t, records(20))
		for _, l := range lists {
			r := g.Query(l.document(`(filter: { startDate: "2999-01-01T00:00Z" }, groupBy: [STATUS])`)).WantOK()
			zero := sums{0, new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat), false}
			zero.want(r, l.moved, l.field)
			wantPages(r, l.field, 1, "")
			if len(r.List(l.field, "groups")) != 0 {
				t.Errorf("%s", r.Body)
			}
		}
	})
}

// TestInvalidArguments: no call is made.
func TestInvalidArguments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gatewaytest.Start(t, records(5))
		for _, tt := range []struct{ arguments, input string }{
			{`timeZone: ""`, "timeZone"},
			{`timeZone: "Local"`, "timeZone"},
			{`timeZone: "localtime"`, "timeZone"},
			{`timeZone: "right/UTC"`, "timeZone"},
			{`timeZone: "posix/UTC"`, "timeZone"},
			{`timeZone: "america/sao_paulo"`, "timeZone"},
			{`timeZone: "Nowhere/City"`, "timeZone"},
			{`timeZone: "../../../../etc/passwd"`, "timeZone"},
			{`timeZone: "/etc/localtime"`, "timeZone"},
			{fmt.Sprintf(`timeZone: %q`, strings.Repeat("a/", 5000)), "timeZone"},
			{`groupBy: [DAY, STATUS, DAY]`, "groupBy"},
			{`fromDay: ""`, "fromDay"},
			{`fromDay: "2026-2-01"`, "fromDay"},
			{`fromDay: "2026-02-29"`, "fromDay"},
			{`toDay: "2026-11-31"`, "toDay"},
			{`toDay: "2026-11-23T00:00:00Z"`, "toDay"},
			{`toDay: "23/11/2026"`, "toDay"},
			{`toDay: "12026-11-23"`, "toDay"},
			{`fromDay: "2026-11-24", toDay: "2026-11-23"`, "fromDay"},
			{`maxPages: 0`, "maxPages"},
			{`maxPages: -7`, "maxPages"},
			{`filter: { minAmount: 0 }`, "filter.minAmount"},
		} {
			for _, l := range lists {
				failed := g.Query(l.document("("+tt.arguments+")")).WantError("BAD_USER_INPUT", l.field)
				if failed.Extensions["input"] != tt.input {
					t.Errorf("%s: %v", tt.arguments, failed.Extensions)
				}
			}
		}
		g.WantNoCalls()
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
