package serve_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pixgraph/sandbox"
)

// TestDownloadFormulas: a text that a spreadsheet would evaluate is no formula, and a number stays a number.
func TestDownloadFormulas(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		for text, want := range map[string]string{
			`"=1+1"`: `"'=1+1"`, `"+1"`: `"'+1"`, `"-1"`: `"'-1"`, `"@SUM(A1)"`: `"'@SUM(A1)"`, `"\t=1"`: "\"'\t'=1\"", `"\u003d1"`: `"'=1"`,
			`"+5511987654321"`: `+5511987654321`, `"+55;=1"`: `"'+55;'=1"`, `"+55a"`: `"'+55a"`,
			`"a;=1"`: `"a;'=1"`, `"a;1"`: `"a;1"`, `"a\n-1"`: "\"a\n'-1\"", `"a,b"`: `"a,b"`, `"a\"b"`: `"a""b"`,
			`"a\r\nb"`: "\"a\r\nb\"", `" a"`: `" a"`, `""`: `""`, `null`: ``, `"é"`: `é`, `"1-2"`: `1-2`,
		} {
			body := fmt.Appendf(nil, `{"total":1,"totalPages":1,"currentPage":1,"perPage":100,"data":[{"id":"x","externalCode":%s,"feeAmount":-5.10}]}`, text)
			undo := g.Box.Inject(sandbox.Fault{Service: sandbox.Core, Route: sandbox.RouteDeposit, Body: body})
			got := string(g.download("text/csv", `{ deposits { nodes { externalCode feeAmount } } }`).want("").body)
			if got != "externalCode,feeAmount\r\n"+want+",-5.10\r\n" {
				t.Errorf("%s: %q", text, got)
			}
			if got := string(g.download("text/csv;header=absent", `{ deposits { nodes { externalCode } } }`).want("").body); want == "" && got != "\"\"\r\n" {
				t.Errorf("a row with only null is %q, which readers skip", got)
			}
			undo()
		}
	})
}

// TestDownloadUnreadable: a cell whose value cannot be read is not the empty one of a null of the API.
func TestDownloadUnreadable(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		body := []byte(`{"total":6,"totalPages":1,"currentPage":1,"perPage":100,"data":[
			{"id":"1","amount":1,"amountPaid":null,"payer":null,"statusHistory":[]},
			{"id":"2","amount":"1","amountPaid":2,"payer":{"name":"x","bankAccount":{"digit":"7"}},"statusHistory":[]},
			{"id":"3","amount":3,"amountPaid":"3","payer":{"name":"x","bankAccount":{"digit":"7"}},"statusHistory":[7]},
			{"id":"4","amount":4,"payer":{"name":7,"bankAccount":{"digit":"7"}},"statusHistory":[]},
			{"id":"5","amount":5,"payer":"x","statusHistory":[]},
			6]}`)
		defer g.Box.Inject(sandbox.Fault{Service: sandbox.Core, Route: sandbox.RouteDeposit, Body: body})()
		const fields = `id amount amountPaid payer { name bank: bankAccount { digit } } statusHistory { status }`
		const want = `id,amount,amountPaid,payer.name,payer.bank.digit,statusHistory
1,1,,,,[]
#N/A,#N/A,#N/A,#N/A,#N/A,#N/A
3,3,#N/A,x,7,[null]
4,4,,#N/A,#N/A,[]
5,5,,#N/A,#N/A,[]
#N/A,#N/A,#N/A,#N/A,#N/A,#N/A
`
		for _, selection := range []string{`nodes { ` + fields + ` }`, `edges { cursor node { ` + fields + ` } }`} {
			got := g.download("text/csv", `{ deposits { `+selection+` } }`).want("RECORD_UNREADABLE").body
			if got := strings.ReplaceAll(string(got), "\r\n", "\n"); got != want {
				t.Errorf("%s: %s", selection, got)
			}
		}
	})
}

// TestDownloadManyUnreadable: after the last error that a page reports, no null is known to be the API's.
func TestDownloadManyUnreadable(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		var records []string
		for i := range 100 {
			records = append(records, fmt.Sprintf(`{"id":"%d","acquirerCode":null,"externalCode":7,"errorMessage":7}`, i))
		}
		body := fmt.Appendf(nil, `{"total":100,"totalPages":1,"currentPage":1,"perPage":100,"data":[%s]}`, strings.Join(records, ","))
		defer g.Box.Inject(sandbox.Fault{Service: sandbox.Core, Route: sandbox.RouteDeposit, Body: body})()
		rows := g.download("text/csv", `{ deposits { nodes { id acquirerCode externalCode errorMessage } } }`).want("RECORD_UNREADABLE").rows()
		for i, row := range rows[1:] {
			want := []string{fmt.Sprint(i), "", "#N/A", "#N/A"}
			if i >= 49 { // 100 errors
				want[1] = "#N/A"
			}
			if !slices.Equal(row, want) {
				t.Errorf("record %d: %q", i, row)
			}
		}
	})
}
