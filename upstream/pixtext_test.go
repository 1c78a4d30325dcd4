package upstream_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pixgraph/upstream"
	"pixgraph/upstream/pix"
)

// derivedJSON returns a derived field of a record as JSON.
func derivedJSON(t *testing.T, field, record string) (string, error) {
	t.Helper()
	decoded, err := upstream.Decode[upstream.Transaction]([]byte(record)) // any type: the derivation reads members
	must(t, err)
	value, err := upstream.Derived(field)(upstream.RawOf(decoded))
	if err != nil || !value.Exists() {
		return "", err
	}
	return string(value.Bytes()), nil
}

// TestPixTexts: texts with escapes are decoded, and are JSON strings again in the result. An absent text is null.
func TestPixTexts(t *testing.T) {
	const dynamic = `00020101021226390014br.gov.bcb.pix2517pix.example/a?b&c52040000530398654041.505802BR5905<\u004A&\u0000\"6008BRASILIA` +
		`62070503***`
	for _, tt := range []struct{ field, record, want string }{
		{
			"PixResponse.brCode", `{"uri":"` + dynamic + `6304FFFF"}`,
			`{"url":"pix.example/a?b&c","oneTime":true,"merchantName":"<J&\u0000\"","merchantCity":"BRASILIA","kind":"DYNAMIC",` +
				`"merchantCategory":"0000","currency":"986","country":"BR","crc":"WRONG","problems":[{"code":"CHARACTERS","field":"59"},` +
				`{"code":"WRONG_CRC","field":"63"}],"amount":150,"wellFormed":false}`,
		},
		{"PixResponse.brCode", `{"uri":""}`, `{"oneTime":false,"crc":"MISSING","problems":[{"code":"EMPTY"}],"wellFormed":false}`},
		{
			"Deposit.endToEndId", `{"endToEnd":"\u0045607011902026070101\u00315a1B2c3D4e5F","endToEndRefund":null}`,
			`{"kind":"PAYMENT","ispb":"60701190","minute":"2026-07-01T01:15:00Z","sequence":"a1B2c3D4e5F","problems":[],"wellFormed":true}`,
		},
		{
			"Withdrawal.endToEndRefundId", `{"endToEndRefund":"D6070119"}`,
			`{"kind":"REFUND","problems":[{"code":"WRONG_LENGTH"}],"wellFormed":false}`,
		},
		{"Deposit.endToEndRefundId", `{"endToEnd":"E","endToEndRefund":null}`, ``},
		{"Transaction.endToEndId", `{}`, ``},
	} {
		_, field, _ := strings.Cut(tt.field, ".")
		got, err := derivedJSON(t, field, tt.record)
		if got != tt.want || err != nil {
			t.Errorf("%s of %s\n got %s, %v\nwant %s", tt.field, tt.record, got, err, tt.want)
		}
	}
	for record, field := range map[string]string{
		`{"uri":7}`: "PixResponse.brCode", `{"uri":null}`: "PixResponse.brCode", `{"endToEnd":{}}`: "Deposit.endToEndId",
		`{"endToEndRefund":"\ud800"}`: "Deposit.endToEndRefundId",
	} {
		_, field, _ := strings.Cut(field, ".")
		if got, err := derivedJSON(t, field, record); upstream.KindOf(err) != upstream.KindInvalidResponse {
			t.Errorf("%s of %s: %s, %v", field, record, got, err)
		}
	}
}

// TestBRCodeOfARecord reads each field of a decoded code.
func TestBRCodeOfARecord(t *testing.T) {
	uri, err := pix.BRCode{Key: "52998224725", Description: "Pedido 7", Cents: 1005, Name: "LOJA", City: "RECIFE", TxID: "PED7", OneTime: true}.Encode()
	must(t, err)
	text, err := derivedJSON(t, "brCode", fmt.Sprintf(`{"uri":%q}`, uri[:len(uri)-4]+"0000"))
	must(t, err)
	var code struct {
		Kind, CRC                                                                                                string
		OneTime, WellFormed                                                                                      bool
		Amount                                                                                                   int64
		Key, Description, URL, MerchantName, MerchantCity, MerchantCategory, PostalCode, Country, Currency, TxID json.RawMessage
		KeyText                                                                                                  struct {
			Type       string
			Normalized json.RawMessage
		}
		Problems []struct {
			Code  string
			Field json.RawMessage
		}
	}
	must(t, json.Unmarshal([]byte(text), &code))
	words := []any{code.Kind, code.CRC, code.OneTime, code.WellFormed, code.Amount}
	for _, value := range []json.RawMessage{
		code.Key, code.Description, code.URL, code.MerchantName, code.MerchantCity, code.MerchantCategory, code.PostalCode, code.Country,
		code.Currency, code.TxID,
	} {
		words = append(words, string(value))
	}
	problem := code.Problems[0]
	words = append(words, code.KeyText.Type, string(code.KeyText.Normalized), len(code.Problems), problem.Code, string(problem.Field))
	want := `STATIC WRONG true false 1005 "52998224725" "Pedido 7"  "LOJA" "RECIFE" "0000"  "BR" "986" "PED7" CPF "52998224725" 1 WRONG_CRC "63"`
	if got := strings.TrimSuffix(fmt.Sprintln(words...), "\n"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestPixTextsAreBounded: the value of a text has at most 8 KiB, however long the text is and however many escapes it
// needs.
func TestPixTextsAreBounded(t *testing.T) {
	control := func(n int) string { return strings.Repeat("\x01", n) }
	var text strings.Builder
	fmt.Fprintf(&text, "2699%s", "0014br.gov.bcb.pix0177"+control(77))
	for _, id := range []string{"00", "01", "52", "53", "54", "58", "59", "60", "61"} {
		fmt.Fprintf(&text, "%s90%s", id, control(90))
	}
	for id := 65; text.Len()+4 <= pix.MaxBRCode; id++ {
		fmt.Fprintf(&text, "%02d00", id)
	}
	for name, uri := range map[string]string{
		"control characters": text.String(), "64 KiB": strings.Repeat("\x01", 64<<10), "64 KiB of fields": strings.Repeat("0000", 16<<10),
	} {
		record, err := json.Marshal(map[string]string{"uri": uri, "endToEnd": uri})
		must(t, err)
		for _, field := range []string{"brCode", "endToEndId"} {
			got, err := derivedJSON(t, field, string(record))
			if err != nil || len(got) > 8<<10 || len(uri) > 1<<10 && !strings.Contains(got, `"problems":[{"code":"TOO_LONG"}]`) {
				t.Errorf("%s of %s: %d bytes, %v: %.100s", field, name, len(got), err, got)
			}
		}
	}
}
