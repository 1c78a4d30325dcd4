package visible

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pixgraph/upstream/pix"
)

// TestText: what a reader sees of a text stays; the rest has numbers, and personal data of texts is hidden.
func TestText(t *testing.T) {
	quoted := func(s string) string {
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	for _, tt := range []struct{ name, raw, want string }{
		{"letters", quoted("João & Müller <b>日本 👍🏽"), "João & Müller <b>日本 👍🏽"},
		{"bidirectional", quoted("a\u202eb"), `a\u{202e}b`},
		{"escaped in JSON", `"a\u202e\ud83d\ude00"`, `a\u{202e}😀`},
		{"control", quoted("a\r\n\x00"), `a\u{d}\u{a}\u{0}`},
		{"object", `{"a` + "\u200b" + `":1}`, `{"a\u{200b}":1}`},
		{"escaped in an object", `{"a":"\u202e\ud83d\ude00\\n\"","b":"CPF\n52998224725, \u002B5511987654321\u002FX, \u0035\u0032998224725, m\u0040example.com"}`,
			`{"a":"\u{202e}😀\\n\"","b":"CPF\u{a}[hidden], [hidden]/X, [hidden], [hidden]"}`},
		{"200 characters", quoted(strings.Repeat("é", 200)), strings.Repeat("é", 200)},
		{"201 characters", quoted(strings.Repeat("é", 201)), strings.Repeat("é", 200) + "…"},
		{"invisible characters count once", quoted(strings.Repeat("\u200b", 201)), strings.Repeat(`\u{200b}`, 200) + "…"},
		{"e-mail address", quoted("de maria.silva+x@example.com.br hoje"), "de [hidden] hoje"},
		{"CPF", quoted("CPF 529.982.247-25, 52998224725."), "CPF [hidden], [hidden]."},
		{"CNPJ", quoted("11.222.333/0001-81 11222333000181 12.ABC.345/01DE-35 12ABC34501DE35"), "[hidden] [hidden] [hidden] [hidden]"},
		{"before a letter", quoted("529.982.247-25Maria CNPJ11.222.333/0001-81Loja 529982247a"), "[hidden]Maria CNPJ[hidden]Loja 529982247a"},
		{"code with the length of a CNPJ", quoted("PEDIDOLOJA0012"), "PEDIDOLOJA0012"},
		{"phone", quoted("+5511987654321 (11) 98765-4321 11987654321 +55 11 3333-4444"), "[hidden] [hidden] [hidden] [hidden]"},
		{"phone in groups", quoted("(11) 9 8765-4321, +55 11 9 8765 4321"), "[hidden], [hidden]"},
		{"in a query", quoted("/?e=maria%40example.com&c=52998224725"), "/?e=[hidden]&c=[hidden]"},
		{"URLs", quoted("a https://u:s3cret@x.example:8443/h/k?token=s3cret#s3cret, http://s3cret@y wss://z?s3cret"),
			"a https://x.example:8443/h/k http://y wss://z"},
		{"URLs with other slashes", quoted(`https:/x/h?s3cret https:////u:s3cret@y https:\\u:s3cret@z\h?s3cret http:\/w#s3cret`),
			`https:/x/h https:////y https:\\z\h http:\/w`},
		{"URLs in quoted JSON", quoted(`400: {"u":"https:\/\/u:s3cret@x\/h?a=b\/c\u0026t=s3cret","v":"\\\"https:\\\/\\\/x?s3cret\\\""}`),
			`400: {"u":"https:\/\/x\/h","v":"\\\"https:\\\/\\\/x\\\""}`},
		{"URLs in an object", `{"u":"https:\/\/x\/h?token=s3cret","v":["https://x/?s3cret"]}`, `{"u":"https://x/h","v":["https://x/"]}`},
		{"with line breaks", quoted("529.982\n247-25, 529\r\n982\r\n247\r\n25, (11)\n98765\n4321, maria\n@example\n.com, 11.222\u2028333/0001-81"),
			"[hidden], [hidden], [hidden], [hidden], [hidden]"},
		{"with commas", quoted("529,982,247,25; 11,222,333,0001,81; 11,98765,4321; maria@example,com"), "[hidden]; [hidden]; [hidden]; [hidden]"},
		{"with underscores", quoted("529_982_247_25, 11_222_333_0001_81, 11_98765_4321, maria@example_com"), "[hidden], [hidden], [hidden], [hidden]"},
		{"with middle dots", quoted("529·982·247·25, 12·ABC·345·01DE·35, 11•98765・4321, maria@example·com"), "[hidden], [hidden], [hidden], [hidden]"},
		{"full-width", quoted("５２９９８２２４７２５, ５２９．９８２．２４７－２５, １１ ９８７６５４３２１, maria＠example．com, ５２９982247２５, ٥٢٩٩٨٢٢٤٧٢٥"),
			"[hidden], [hidden], [hidden], [hidden], [hidden], [hidden]"},
		{"full-width text", quoted("ＰＥＤＩＤＯ １２"), "ＰＥＤＩＤＯ １２"},
		{"after a name", quoted("CPF52998224725 cpf_52998224725_ tel+5511987654321 user11222333000181"), "CPF[hidden] cpf[hidden]_ tel+[hidden] user[hidden]"},
		{"in groups after a name", quoted(`CPF529.982.247-25 CNPJ11.222.333/0001-81 tel11 98765-4321 {"a":"b\n529.982.247-25"}`),
			`CPF[hidden] CNPJ[hidden] tel[hidden] {"a":"b\n[hidden]"}`},
		{"with other separators", quoted("529 982 247 25, 529.982.247\u201125, (11)\u00a098765\u20114321"), "[hidden], [hidden], [hidden]"},
		{"in groups in URLs", quoted("?a=%2B55%2011%2098765-4321&b=(11)+98765-4321&c=11.222.333%2F0001-81"), "?a=%2B[hidden]&b=[hidden]&c=[hidden]"},
		{"joined by underscores", quoted("52998224725_11222333000181_52998224725"), "[hidden][hidden][hidden]"},
		{"Pix code", quoted("Pix: 00020126360014br.gov.bcb.pix0114+55119876543215204000053039865802BR5905MARIA6002SP62070503***6304ABCD ok"), "Pix: [hidden] ok"},
		{"Pix code whose key has the digits of its end", quoted("00020126330014br.gov.bcb.pix0111630412345675204000053039865802BR6304ABCD"), "[hidden]"},
		{"ids", quoted("12345678-1234-1234-1234-123456789012 6a439faaf801db22d01b04c9 PED-2026-742692"),
			"12345678-1234-1234-1234-123456789012 6a439faaf801db22d01b04c9 PED-2026-742692"},
		{"a CPF at the end of what is read", quoted(strings.Repeat("maria.silva.santos@example.com ", 12) + strings.Repeat("x", 22) + " 529.982.247-25 x"),
			strings.Repeat("[hidden] ", 10) + "[hidde…"},
	} {
		if got := Text([]byte(tt.raw), false, MaxText); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := Text([]byte(`"maria@example.com"`), true, MaxText); got != "maria@example.com" {
		t.Errorf("allowed: %q", got)
	}
}

// TestHidesKeys: what the gateway reads as the key of a person or a company is hidden.
func TestHidesKeys(t *testing.T) {
	for _, text := range []string{
		"529.982.247-25", "529-982-247-25", "529.982.247.25", "529.982.247/25", "529 982 247 25", "maria@example.com",
		"11.222.333/0001-81", "11.222.333.0001-81", "11222333-0001-81", "11 222 333 0001 81", "12.abc.345/01de-35", "12abc34501de35",
		"(11) 98765-4321", "(011) 98765-4321", "(011) 3265-4321", "011987654321", "011 98765-4321", "11.98765.4321", "11.98765-4321",
		"+5511987654321", "+351912345678", "+351 912 345 678", "+4915112345678", "+44 20 7946 0958", "+1-415-555-2671",
		"529.982.247 - 25", "529.982-247.25", "529\u200b982\u200b247\u200b25", "11 222 333/0001-81", "11-222-333-0001-81", "11222333 0001 81",
		"12 ABC 345 01DE 35", "(11) 98765.4321", "(11) 98765 - 4321", "11/3265-4321", "0 11 3265-4321", "+55.11.98765.4321", "55 (11) 98765-4321",
		"11 987 654 321", "(11) 987-654-321", "55 11 987.654.321", "+1 (415) 555-2671", "+1 415 5552671", "+49 (0) 1512 345678", "+33 6 12 34 56 78",
	} {
		if key := pix.ParseKey(text); key.Normal == "" {
			t.Errorf("%s is no key: %v", text, key)
		}
		for _, raw := range []string{`"` + text + `"`, `"de ` + text + `, hoje"`, `{"a":"` + text + `"}`} {
			want := strings.Replace(strings.Trim(raw, `"`), text, "[hidden]", 1)
			if raw[0] == '{' {
				want = `{"a":"[hidden]"}`
			}
			if got := Text([]byte(raw), false, MaxText); got != want {
				t.Errorf("%s: %q, want %q", raw, got, want)
			}
		}
	}
	for text, want := range map[string]string{ // whatever precedes or follows a key
		"a bc def 1234 11 98765-4321":           "a bc def 1234 [hidden]",
		"ab.cde.fgh.1234.11 98765-4321":         "ab.cde.fgh.1234.[hidden]",
		"+5511987654321_52998224725_1132654321": "[hidden][hidden][hidden]",
		"OK 011987654321 11222333000181":        "OK [hidden] [hidden]",
		"011987654321 11.222.333/0001-81":       "[hidden] [hidden]",
		"+55 11 3265-4321 529.982.247-25":       "[hidden] [hidden]",
	} {
		if got := Text([]byte(`"`+text+`"`), false, MaxText); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{
		"2026-11-26T10:00:00.000Z", "2026-11-26 10:00:00", "26/11/2026", "01310-100", "R$ 1.234.567,89", "de uma vez hoje 12", "?q=de%20uma%20vez%20hoje%2012",
		"529982247.25", "12.34567890", "123456.7890", "1234567.89", "-23.55051992", "PEDIDO-2026-742692",
		"Pedidos de uma loja 12", "v1.2.3", "+10", "200.150.100.10", "http://192.168.100.20/hook",
	} {
		if got := Text([]byte(`"`+text+`"`), false, MaxText); got != text {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// FuzzText: any JSON value gives a text of at most 200 characters, which has no invisible one.
func FuzzText(f *testing.F) {
	for _, seed := range []string{`"a"`, `"\ud83d\ude00"`, `{"a":[1]}`, `"` + strings.Repeat(`\u202e`, 2000) + `"`, `"` + strings.Repeat("é", 4000) + `"`} {
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, raw []byte, personal bool) {
		if !json.Valid(raw) || len(raw) == 0 || strings.ContainsAny(string(raw[:1]), " \t\r\n") || !utf8.Valid(raw) {
			return
		}
		got := Text(raw, personal, MaxText)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > 10*MaxText+1 || strings.ContainsFunc(got, isInvisible) {
			t.Errorf("%q", got)
		}
	})
}
