package serve_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"pixgraph/sandbox"
)

const portuguese = "text/csv; locale=pt-BR"

// portugueseRows parses a file for Excel in Portuguese, with its header.
func portugueseRows(f file) [][]string {
	f.t.Helper()
	text, bom := strings.CutPrefix(string(f.body), "\ufeff")
	if got := f.header.Get("Content-Type"); got != "text/csv; charset=utf-8; header=present; locale=pt-BR" || !bom {
		f.t.Errorf("Content-Type %s, %.10q", got, f.body)
	}
	reader := csv.NewReader(strings.NewReader(text))
	reader.Comma = ';'
	rows, err := reader.ReadAll()
	must(f.t, err)
	return rows
}

// TestDownloadPortuguese: the values of a list in the forms of Brazil are those of the query.
func TestDownloadPortuguese(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		const document = `query($page: Int, $perPage: Int) { deposits(page: $page, perPage: $perPage) { nodes {
			id amount amountPaid feeAmount createdAt paymentDate depositOrigin receiver { document bankAccount { ispb } } } } }`
		rows := portugueseRows(g.download(portuguese, document).want(""))
		nodes := g.pagesOf(document, 3)
		const header = "id;amount;amountPaid;feeAmount;createdAt;paymentDate;depositOrigin;receiver.document;receiver.bankAccount.ispb"
		if got := strings.Join(rows[0], ";"); got != header || len(rows) != 1+len(nodes) {
			t.Fatalf("%s, %d rows", got, len(rows))
		}
		zone, err := time.LoadLocation("America/Sao_Paulo")
		must(t, err)
		cents := func(n json.Number) string {
			if n == "" {
				return ""
			}
			value, _ := new(big.Rat).SetString(n.String() + "/100")
			return strings.Replace(value.FloatString(2), ".", ",", 1)
		}
		clock := func(text string) string {
			if text == "" {
				return ""
			}
			at, err := time.Parse(time.RFC3339, text)
			must(t, err)
			return at.In(zone).Format("02/01/2006 15:04:05")
		}
		literals := 0
		for i, node := range nodes {
			var deposit struct {
				ID, CreatedAt, PaymentDate, DepositOrigin string
				Amount, AmountPaid, FeeAmount             json.Number
				Receiver                                  struct {
					Document    string
					BankAccount struct{ Ispb string }
				}
			}
			must(t, json.Unmarshal([]byte(node), &deposit))
			want := []string{
				deposit.ID, cents(deposit.Amount), cents(deposit.AmountPaid), strings.Replace(deposit.FeeAmount.String(), ".", ",", 1),
				clock(deposit.CreatedAt), clock(deposit.PaymentDate), deposit.DepositOrigin, deposit.Receiver.Document, deposit.Receiver.BankAccount.Ispb,
			}
			for c, cell := range rows[i+1] {
				if inner, literal := strings.CutPrefix(cell, `="`); literal {
					cell = strings.TrimSuffix(inner, `"`)
					literals++
				}
				if cell != want[c] {
					t.Fatalf("row %d, %s: %q, want %q", i, rows[0][c], cell, want[c])
				}
			}
		}
		if literals < len(nodes)/2 { // an ISPB has leading zeros
			t.Errorf("%d texts are protected", literals)
		}
	})
}

// TestDownloadPortugueseSums: sums in cents are reais, those without a documented unit keep their value, and a day is a
// date.
func TestDownloadPortugueseSums(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		defer g.Box.Inject(sandbox.Fault{Service: sandbox.Core, Route: sandbox.RouteDeposit, Body: []byte(`{"total":2,"totalPages":1,"currentPage":1,
			"perPage":100,"data":[{"id":"1","amount":9223372036854775807,"amountPaid":5,"feeAmount":1.25,"refundAmount":10,"createdAt":"2026-11-24T02:00:00Z"},
			{"id":"2","amount":9223372036854775807,"feeAmount":-0.25,"createdAt":"2026-11-24T01:00:00Z"}]}`)})()
		const fields = `count amount paid: amountPaid refundAmount feeAmount netAmount`
		rows := portugueseRows(g.download(portuguese, `{ depositSummary(groupBy: [DAY]) { groups { day `+fields+` } } }`).want(""))
		if got, want := fmt.Sprint(rows[1:]), "[[23/11/2026 2 184467440737095516,14 0,05 0,10 1 -0,0625]]"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		rows = portugueseRows(g.download(portuguese, `{ depositSummary { `+fields+` complete } }`).want(""))
		if got, want := fmt.Sprint(rows[1:]), "[[2 184467440737095516,14 0,05 0,10 1 -0,0625 true]]"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}

// TestDownloadPortugueseCells: texts stay texts, and what cannot be read is an error of Excel in Portuguese.
func TestDownloadPortugueseCells(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		for text, want := range map[string]string{
			`"00123"`: `"=""00123"""`, `"529.982.247-25"`: `"=""529.982.247-25"""`, `"1E5"`: `"=""1E5"""`, `"1-2"`: `"=""1-2"""`, `"Loja 2"`: `Loja 2`,
			`"=1"`: `"'=1"`, `"a,=1"`: `"a,'=1"`, `"a;b"`: `"a;b"`, `"x\"&A1"`: `"x""&A1"`, `"1\"&A1&\""`: `"1""&A1&"""`, `"+5511987654321"`: `"=""+5511987654321"""`,
			`""`: `""`, `null`: ``, `7`: `#N/D`,
		} {
			body := fmt.Appendf(nil, `{"total":1,"totalPages":1,"currentPage":1,"perPage":100,"data":[{"id":"x","externalCode":%s,"feeAmount":-5.10,"amount":-3,
				"createdAt":"2026-11-23T14:05:09"}]}`, text)
			undo := g.Box.Inject(sandbox.Fault{Service: sandbox.Core, Route: sandbox.RouteDeposit, Body: body})
			got := string(g.download("text/csv; locale=pt-BR; bom=0", `{ deposits { nodes { externalCode feeAmount amount createdAt } } }`).body)
			if got != "externalCode;feeAmount;amount;createdAt\r\n"+want+";-5,10;-0,03;\"=\"\"2026-11-23T14:05:09\"\"\"\r\n" {
				t.Errorf("%s: %q", text, got)
			}
			undo()
		}
	})
}
