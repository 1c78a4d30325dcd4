package serve_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// TestPixKey: the field makes no calls and costs nothing. Its argument is neither in the log nor in an error.
func TestPixKey(t *testing.T) {
	runWith(t, func(o *options) { o.Serve.LogOneIn = 1 }, func(t *testing.T, g *gateway) {
		const document = `query Key($text: String!) { pixKey(text: $text) { type normalized problems { code field } } }`
		response := g.QueryWith(http.Header{"X-Pixgraph-Cost": {"1"}}, document, variables{"text": "(11) 91234-5684"}).WantOK()
		want := `map[normalized:+5511912345684 problems:[map[code:COUNTRY_CODE field:<nil>] map[code:NOT_NORMAL field:<nil>]] type:PHONE]`
		if got := fmt.Sprint(response.At("pixKey")); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		unknown := fmt.Sprint(g.Query(document, variables{"text": "maria"}).WantOK().At("pixKey"))
		if unknown != `map[normalized:<nil> problems:[map[code:UNKNOWN_FORM field:<nil>]] type:<nil>]` {
			t.Error(unknown)
		}
		if !strings.Contains(string(response.Body), `"cost":{"upstreamCalls":0`) {
			t.Errorf("%s", response.Body)
		}
		bad := g.Query(document, variables{"text": []string{"529.982.247-25"}})
		if len(bad.Errors) == 0 || strings.Contains(string(bad.Body), "529.982") {
			t.Errorf("%s", bad.Body)
		}
		g.Query(`{ pixKey(text: "529.982.247-25") { type } transaction(id: "none") { id } }`).WantError("BAD_USER_INPUT", "transaction")
		g.WantNoCalls()
		keys := regexp.MustCompile(`91234-?5684|529\.?982`)
		if log := g.Log.String(); strings.Count(log, `"msg":"operation"`) == 0 || keys.MatchString(log) {
			t.Error(log)
		}
	})
}

// TestPixCode: the field reads the code of a record as brCode of the record does, without calls.
func TestPixCode(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		const fields = `{ kind oneTime key keyText { type } url amount merchantName merchantCity txid crc wellFormed problems { code field } }`
		record := g.Query(`{ deposits(filter: { status: [PIX_QRCODE_GENERATED] }) { nodes { pixResponse { uri brCode ` + fields + ` } } } }`).WantOK()
		uri := record.Text("deposits", "nodes", 0, "pixResponse", "uri")
		g.Box.ResetCalls()
		const document = `query Code($text: String!) { pixCode(text: $text) ` + fields + ` }`
		got := g.Query(document, variables{"text": uri}).WantOK().At("pixCode")
		if want := record.At("deposits", "nodes", 0, "pixResponse", "brCode"); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v, want %v", got, want)
		}
		if got := g.Query(document, variables{"text": strings.Repeat("0", 1<<16)}).WantOK().Text("pixCode", "problems", 0, "code"); got != "TOO_LONG" {
			t.Error(got)
		}
		g.WantNoCalls()
	})
}

// TestDerivedFieldsAreBounded: fragments and aliases do not multiply the derived fields of a record beyond the limit.
func TestDerivedFieldsAreBounded(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		document := func(lists, further int) string {
			d := "{ deposits {"
			for i := range lists {
				d += fmt.Sprintf(" a%d: nodes { ...F }", i)
			}
			for i := range further {
				d += fmt.Sprintf(" b%d: nodes { timeline { index } }", i)
			}
			return d + " } } fragment F on Deposit { timeline { index } endToEndId { kind } endToEndRefundId { kind } pixResponse { brCode { crc } } }"
		}
		g.Query(document(25, 0)).WantOK()
		g.Box.ResetCalls()
		if failed := g.Query(document(25, 1)).WantError("LIMIT_EXCEEDED"); failed.Extensions["limit"] != "derived" {
			t.Errorf("%v", failed.Extensions)
		}
		g.WantNoCalls()
	})
}
