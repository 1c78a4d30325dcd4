package summary_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/sandbox"
	"pixgraph/sandbox/ledger"
	"pixgraph/test/gatewaytest"
)

// recordsOf reads a whole list from the REST API, without the gateway.
func recordsOf(g *gatewaytest.Gateway, list string) (records []map[string]any) {
	g.T.Helper()
	for page, pages := 1, 1; page <= pages; page++ {
		request, err := http.NewRequestWithContext(g.T.Context(), http.MethodGet, fmt.Sprintf("%s/%s?perPage=100&page=%d", g.Box.CoreURL(), list, page), nil)
		must(g.T, err)
		request.Header.Set("Authorization", "Bearer "+g.Token)
		response, err := g.HTTP.Do(request)
		must(g.T, err)
		var body struct {
			TotalPages int
			Data       []map[string]any
		}
		decoder := json.NewDecoder(response.Body)
		decoder.UseNumber()
		must(g.T, decoder.Decode(&body))
		must(g.T, response.Body.Close())
		pages, records = body.TotalPages, append(records, body.Data...)
	}
	return records
}

// TestSumsByDays: the sums by each date of a record are those of the records that the REST API returns, in all and by
// day.
func TestSumsByDays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gatewaytest.Start(t, records(250))
		// A bank statement has this payment on the 24th. It was created, and in UTC also paid, on other days.
		g.Box.Ledger().Put(ledger.Deposit, ledger.NewEntry([]byte(`{"id":"b0e7c5a2-0d6d-4a5f-9a53-000000000001","amount":-3,"amountPaid":-3,"feeAmount":0.01,
			"status":"PAID","depositOrigin":"QRCODE","createdAt":"2026-11-22T23:59:59.999-03:00","paymentDate":"2026-11-24T03:00:00.001Z"}`)))
		for _, tt := range []struct{ list, dayOf, member string }{
			{"deposit", "CREATED_AT", "createdAt"}, {"deposit", "PAYMENT_DATE", "paymentDate"}, {"deposit", "REFUND_DATE", "refundDate"},
			{"withdrawal", "CREATED_AT", "createdAt"}, {"withdrawal", "PROCESSED_DATE", "processedDate"}, {"withdrawal", "REFUND_DATE", "refundDate"},
		} {
			l := lists[map[string]int{"deposit": 0, "withdrawal": 1}[tt.list]]
			read := recordsOf(g, tt.list)
			for _, zone := range []string{"America/Sao_Paulo", "Pacific/Kiritimati", "UTC"} {
				location, err := time.LoadLocation(zone)
				must(t, err)
				var days []string // of each record; "" without the date
				for _, record := range read {
					day := ""
					if date, ok := record[tt.member].(string); ok {
						at, err := time.Parse(time.RFC3339, date)
						must(t, err)
						day = at.In(location).Format("2006-01-02")
					}
					days = append(days, day)
				}
				known := slices.Compact(slices.Sorted(slices.Values(days)))
				if known[0] == "" {
					known = known[1:]
				}
				first, middle, last := known[0], known[len(known)/2], known[len(known)-1]
				for _, bounds := range [][2]string{
					{"", ""}, {middle, middle}, {middle, ""}, {"", middle}, {first, last}, {"2026-11-24", "2026-11-24"}, {"1999-01-01", "1999-01-01"},
				} {
					gatewaytest.Row(t, fmt.Sprint(tt.list, tt.dayOf, zone, bounds), func(t testing.TB) {
						g := g.Within(t)
						var all sums
						groups := map[string]*sums{}
						for i, record := range read {
							from, to := bounds[0], bounds[1]
							if bounded := from != "" || to != ""; bounded && (days[i] == "" || days[i] < from || to != "" && days[i] > to) {
								continue
							}
							if groups[days[i]] == nil {
								groups[days[i]] = &sums{}
							}
							all.add(record, l.moved)
							groups[days[i]].add(record, l.moved)
						}
						if all.count == 0 { // that no record is on these days is known
							zero := sums{}
							zero.add(map[string]any{"amount": json.Number("0"), "amountPaid": json.Number("0"), l.moved: json.Number("0"),
								"refundAmount": json.Number("0"), "feeAmount": json.Number("0")}, l.moved)
							all, all.count = zero, 0
						}
						arguments := fmt.Sprintf("(groupBy: [DAY], timeZone: %q, dayOf: %s", zone, tt.dayOf)
						for i, name := range []string{"fromDay", "toDay"} {
							if bounds[i] != "" {
								arguments += fmt.Sprintf(", %s: %q", name, bounds[i])
							}
						}
						g.Box.ResetCalls()
						r := g.Query(l.document(arguments + ")")).WantOK()
						all.want(r, l.moved, l.field)
						wantPages(r, l.field, (len(read)+99)/100, "")
						g.WantCalls((len(read)+99)/100, g.Token)
						var keys []string
						for i := range r.List(l.field, "groups") {
							day, _ := r.At(l.field, "groups", i, "day").(string)
							keys = append(keys, day)
							groups[day].want(r, l.moved, l.field, "groups", i)
						}
						if !slices.Equal(keys, slices.Sorted(maps.Keys(groups))) {
							t.Errorf("%q, want %d days in their order", keys, len(groups))
						}
					})
				}
			}
		}
		r := g.Query(`{ depositSummary(dayOf: PAYMENT_DATE, fromDay: "2026-11-24", toDay: "2026-11-24",
			filter: { startDate: "2026-11-22T00:00:00-03:00", status: [PAID] }) { count amountPaid feeAmount netAmount complete } }`).WantOK()
		if got, want := fmt.Sprint(r.At("depositSummary")), "map[amountPaid:-3 complete:true count:1 feeAmount:0.01 netAmount:-3.01]"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}

// TestDates: a record that lacks the date is on no day. One whose day cannot be read is unreadable, and so is one with
// an invalid amount, unless it is on another day.
func TestDates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gatewaytest.Start(t, records(1))
		const whole, days = "", `, fromDay: "2026-11-23", toDay: "2026-11-23"`
		for _, tt := range []struct {
			name, record, days string
			count, unreadable  int
		}{
			{"on the day", `"paymentDate":"2026-11-24T02:59:59.999Z"`, days, 1, 0},
			{"a moment later", `"paymentDate":"2026-11-24T03:00:00Z"`, days, 0, 0},
			{"a moment earlier", `"paymentDate":"2026-11-23T02:59:59.999999Z"`, days, 0, 0},
			{"an offset without a colon", `"paymentDate":"2026-11-24T02:59:59.999+0000"`, days, 1, 0},
			{"an offset without a colon, a moment later", `"paymentDate":"2026-11-24T00:00:00.000-0300"`, days, 0, 0},
			{"an offset of hours, after a space", `"paymentDate":"2026-11-23 23:59:59-03"`, days, 1, 0},
			{"lower case", `"paymentDate":"2026-11-23t12:00:00z"`, days, 1, 0},
			{"no date", `"a":1`, days, 0, 0},
			{"a date that is null", `"paymentDate":null`, days, 0, 0},
			{"no date, all days", `"a":1`, whole, 1, 0},
			{"a date that is null, all days", `"paymentDate":null`, whole, 1, 0},
			{"a time without an offset", `"paymentDate":"2026-11-23T12:00:00"`, days, 0, 1},
			{"a time without an offset, all days", `"paymentDate":"2026-11-23T12:00:00"`, whole, 0, 1},
			{"a date without a time", `"paymentDate":"2026-11-23"`, days, 0, 1},
			{"no date of the calendar", `"paymentDate":"2026-11-31T12:00:00Z"`, days, 0, 1},
			{"an empty text", `"paymentDate":""`, days, 0, 1},
			{"a text that is shorter in upper case", `"paymentDate":"ıııııı"`, days, 0, 1},
			{"a number", `"paymentDate":1795435200`, days, 0, 1},
			{"an invalid amount", `"paymentDate":"2026-11-23T12:00:00Z","amountPaid":"x"`, days, 0, 1},
			{"an invalid amount on another day", `"paymentDate":"2026-11-24T12:00:00Z","amountPaid":"x","feeAmount":"x"`, days, 0, 0},
			{"an invalid amount on no day", `"amountPaid":"x"`, days, 0, 0},
			{"a time that stands for none", `"paymentDate":"0001-01-01T00:00:00Z"`, days, 0, 0},
			{"a time that stands for none, all days", `"paymentDate":"0001-01-01T00:00:00"`, whole, 1, 0},
			{"the first day of the year 10000", `"paymentDate":"9999-12-31T23:00:00-12:00"`, days, 0, 0},
		} {
			gatewaytest.Row(t, tt.name, func(t testing.TB) {
				g := g.Within(t)
				body := `{"total":1,"totalPages":1,"currentPage":1,"perPage":100,"data":[{"id":"1","amount":7,` + tt.record + `}]}`
				defer g.Box.Inject(sandbox.Fault{Body: []byte(body)})()
				r := g.Query(`{ depositSummary(groupBy: [DAY], dayOf: PAYMENT_DATE` + tt.days + `) { count unreadable feeAmount complete groups { day count } } }`).WantOK()
				if got, want := r.At("depositSummary", "count"), json.Number(strconv.Itoa(tt.count)); got != want {
					t.Errorf("count %v, want %v", got, want)
				}
				if got, want := r.At("depositSummary", "unreadable"), json.Number(strconv.Itoa(tt.unreadable)); got != want {
					t.Errorf("unreadable %v, want %v", got, want)
				}
				if complete, _ := r.At("depositSummary", "complete").(bool); complete != (tt.unreadable == 0) || len(r.List("depositSummary", "groups")) != tt.count {
					t.Errorf("%s", r.Body)
				}
			})
		}
	})
}

// TestFees: a fee is read only if a sum is selected that needs it, anywhere in the selection. The net amount is
// null if a deposit with an amount paid has no fee, and is not affected by one without an amount paid.
func TestFees(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gatewaytest.Start(t, records(1))
		body := []byte(`{"total":5,"totalPages":1,"currentPage":1,"perPage":100,"data":[
			{"id":"1","amount":1,"amountPaid":10000000000000000,"feeAmount":0.1,"refundAmount":5,"refundDate":"2026-11-23T12:00:00Z"},
			{"id":"2","amount":1,"amountPaid":7,"refundDate":"2026-11-24T12:00:00Z"},{"id":"3","amount":1,"feeAmount":2},
			{"id":"4","amount":1,"amountPaid":9,"feeAmount":-1e-2,"refundDate":"2026-11-23T12:00:00Z"},
			{"id":"5","amount":1,"amountPaid":100,"feeAmount":"0.5"}]}`)
		g.Box.Inject(sandbox.Fault{Body: body})
		for selection, want := range map[string]string{
			`count amount`:       `"count":5,"amount":"5","unreadable":0`,
			`count feeAmount`:    `"count":4,"feeAmount":"2.09","unreadable":1`,
			`count x: netAmount`: `"count":4,"x":null,"unreadable":1`,
			`... F`: `"groups":[{"count":1,"netAmount":null},{"count":2,"netAmount":"10000000000000003.91"},{"count":1,"netAmount":null}],` +
				`"unreadable":1`,
			`... @skip(if: true) { feeAmount } count netAmount @include(if: false)`: `"count":5,"unreadable":0`,
		} {
			document := `{ depositSummary(groupBy: [DAY], dayOf: REFUND_DATE) { ` + selection + ` unreadable } }`
			if strings.Contains(document, "... F") {
				document += ` fragment F on DepositSummary { groups { count ... { netAmount } } }`
			}
			if r := g.Query(document).WantOK(); string(r.Body) != `{"data":{"depositSummary":{`+want+`}}}` {
				t.Errorf("%s: %s, want %s", selection, r.Body, want)
			}
		}
	})
}
