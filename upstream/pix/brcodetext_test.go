package pix_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pixgraph/upstream/pix"
)

// line is what a BR Code's text says, with only its fields that have a value.
func line(c pix.BRCodeText) string {
	words := []string{string(c.CRC)}
	add := func(name, value string) {
		if value != "" {
			words = append(words, name+"="+value)
		}
	}
	add("kind", string(c.Kind))
	if c.OneTime {
		add("once", "true")
	}
	add("key", c.Key)
	add("url", c.URL)
	add("recurrence", c.RecurrenceURL)
	add("description", c.Description)
	if c.HasAmount {
		add("cents", fmt.Sprint(c.Cents))
	}
	add("category", c.CategoryCode)
	add("currency", c.Currency)
	add("country", c.Country)
	add("name", c.Name)
	add("city", c.City)
	add("cep", c.PostalCode)
	add("txid", c.TxID)
	return strings.Join(append(words, problemWords(c.Problems)...), " ")
}

func problemWords(problems []pix.Problem) (words []string) {
	for _, p := range problems {
		word := string(p.Code)
		if p.Field != "" {
			word += "@" + p.Field
		}
		words = append(words, word)
	}
	return words
}

// The fields of the manual's static code, as line writes them.
const (
	manualKey  = "kind=STATIC key=123e4567-e12b-12d1-a456-426655440000 "
	manualRest = "category=0000 currency=986 country=BR name=Fulano de Tal city=BRASILIA"
	manualLine = manualKey + manualRest
)

// edited is the manual's static code with a part replaced, and with the CRC of the result.
func edited(old, with string) string {
	if !strings.Contains(manual, old) {
		panic("the manual's code does not contain " + old)
	}
	return withCRC(strings.Replace(body(manual), old, with, 1))
}

// manualAccount is the template of its account.
const manualAccount = "580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-426655440000"

// says is the line of a code with a valid CRC that differs from the manual's in a part.
func says(old, with string) string { return "CORRECT " + strings.Replace(manualLine, old, with, 1) }

// cash is the manual's code with the institution that arranges the cash (Pix Saque) and an amount.
func cash(ispb, amount string) string {
	account := fmt.Sprint(62+len(ispb), manualAccount[2:], "03", fmt.Sprintf("%02d", len(ispb)), ispb)
	return withCRC(strings.Replace(body(strings.Replace(manual, manualAccount, account, 1)), "5802BR", amount+"5802BR", 1))
}

// leadingZero is a code whose CRC begins with a zero, and leadingZeroLine what it says.
var leadingZero, leadingZeroLine = func() (string, string) {
	for txID := 100; ; txID++ {
		if code := edited("0503***", fmt.Sprint("0503", txID)); code[len(code)-4] == '0' {
			return code, manualLine + fmt.Sprint(" txid=", txID)
		}
	}
}()

// latin1Name is the manual's code up to its CRC, with a name in ISO 8859-1.
var latin1Name = strings.Replace(body(manual), "5913Fulano de Tal", "5909Jo\xe3o Lima", 1)

func utf8Of(latin1 string) string { return strings.Replace(latin1, "\xe3", "ã", 1) }

// brCodes are labelled texts. Those of providers are examples of their documentation.
var brCodes = []struct{ name, text, want string }{
	{"static, the manual's example", manual, "CORRECT " + manualLine},
	{
		"dynamic, of a provider",
		"00020101021226770014BR.GOV.BCB.PIX2555pix.example.com/qr/93598be0-1bd0-4997-8318-81776a1d8a99" +
			"5204000053039865802BR5907EMPRESA6009SAO PAULO62070503***6304EEAB",
		"CORRECT kind=DYNAMIC once=true url=pix.example.com/qr/93598be0-1bd0-4997-8318-81776a1d8a99 " +
			"category=0000 currency=986 country=BR name=EMPRESA city=SAO PAULO",
	},
	{
		"a length of three digits, of a provider",
		"000201010212261010014BR.GOV.BCB.PIX2579cdpj-sandbox.partners.uatinter.co/pj-s/v2/cobv/9ba336dffb5d483c995e08e586da6cad" +
			"52040000530398654042.505802BR5901*6013Belo Horizont61089999999962070503***630439AC",
		"CORRECT kind=DYNAMIC once=true url=cdpj-sandbox.partners.uatinter.co/pj-s/v2/cobv/9ba336dffb5d483c995e08e586da6cad cents=250 " +
			"category=0000 currency=986 country=BR name=* city=Belo Horizont cep=99999999 WRONG_LENGTH@26",
	},
	{"a length of three digits below 100", "260300014br.gov.bcb.pix0208Pedido 1", "MISSING MALFORMED@26 MALFORMED"},
	{"in upper case, Pix in 51", edited("265800"+"14br.gov.bcb.pix", "51580014BR.GOV.BCB.PIX"), "CORRECT " + manualLine},
	{"after another arrangement", edited("2658", "26170013com.example.x2758"), "CORRECT " + manualLine},
	{"two accounts", edited("5204", "27330014br.gov.bcb.pix0111529982247255204"), "CORRECT " + manualLine + " DUPLICATE@27"},
	{"an account outside the templates", edited("2658", "2558"), "CORRECT " + manualRest + " NOT_PIX"},
	{"another arrangement", edited("br.gov.bcb.pix", "br.gov.bcb.pax"), "CORRECT " + manualRest + " NOT_PIX"},
	{
		"a key and a URL", edited("26580014", "26712509a.example0014"),
		"CORRECT key=123e4567-e12b-12d1-a456-426655440000 url=a.example " + manualRest + " KEY_AND_URL@26",
	},
	{
		"neither key nor URL", withCRC("00020126180014br.gov.bcb.pix" + body(manual)[strings.Index(manual, "5204"):]),
		"CORRECT " + manualRest + " NO_KEY_OR_URL@26",
	},
	{
		"key with wrong check digits", edited(manualAccount, "330014br.gov.bcb.pix011152998224726"),
		"CORRECT kind=STATIC key=52998224726 " + manualRest + " INVALID@26.01",
	},
	{
		"key with punctuation", edited(manualAccount, "360014br.gov.bcb.pix0114529.982.247-25"),
		"CORRECT kind=STATIC key=529.982.247-25 " + manualRest + " INVALID@26.01",
	},
	{
		"URL with a scheme", edited(manualAccount, "390014br.gov.bcb.pix2517https://a.example"),
		"CORRECT kind=DYNAMIC url=https://a.example " + manualRest + " INVALID@26.25",
	},
	{
		"description", edited(manualAccount, "470014br.gov.bcb.pix0111529982247250210Pedido \\\"7"),
		`CORRECT kind=STATIC key=52998224725 description=Pedido \"7 ` + manualRest,
	},
	{
		"URL with a description", edited(manualAccount, "360014br.gov.bcb.pix2509a.example0201x"),
		"CORRECT kind=DYNAMIC url=a.example description=x " + manualRest + " INVALID@26.02",
	},

	{
		"one letter changed", strings.Replace(manual, "Fulano", "Fulana", 1),
		"WRONG " + strings.Replace(manualLine, "Fulano", "Fulana", 1) + " WRONG_CRC@63",
	},
	{"CRC in lower case", manual[:len(manual)-4] + "1d3d", "CORRECT " + manualLine},
	{"CRC not hexadecimal", manual[:len(manual)-4] + "+D3D", "WRONG " + manualLine + " WRONG_CRC@63"},
	{"CRC of three digits", body(manual) + "63031D3", "WRONG " + manualLine + " WRONG_CRC@63"},
	{"no CRC", body(manual), "MISSING " + manualLine + " MISSING@63"},
	{"CRC without a leading zero", body(leadingZero) + "6304" + leadingZero[len(leadingZero)-3:], "CORRECT " + leadingZeroLine + " WRONG_LENGTH@63"},
	{"CRC over ISO 8859-1", utf8Of(withCRC(latin1Name)), "CORRECT " + strings.Replace(manualLine, "Fulano de Tal", "João Lima", 1) + " CHARACTERS@59"},
	{"two characters of four bytes as a CRC", manual[:99] + "6304éé", "MISSING " + manualKey + "category=0000 currency=986 WRONG_LENGTH@59"},
	{"half of a CRC", manual[:len(manual)-2], "MISSING " + manualLine + " WRONG_LENGTH@63"},
	{"only a CRC", "63041D3D", "WRONG NOT_PIX MISSING@00 MISSING@52 MISSING@53 MISSING@58 MISSING@59 MISSING@60 MISSING@62.05 WRONG_CRC@63"},
	{"text after the CRC", manual + "5802BR", "CORRECT " + manualLine + " TRAILING_TEXT"},
	{"white space around", " " + manual + "\r\n", "CORRECT " + manualLine + " WHITE_SPACE"},
	{"invisible characters", "\ufeff\u200b" + manual[:50] + "\u00ad" + manual[50:] + "\u200e", "CORRECT " + manualLine + " WHITE_SPACE"},
	{"a line break within", manual[:90] + "\r\n" + manual[90:], "CORRECT " + manualLine + " WHITE_SPACE"},
	{"a line break for a space", strings.Replace(manual, "Fulano de", "Fulano\nde", 1), "CORRECT " + manualLine + " WHITE_SPACE"},
	{"a line separator for a space", strings.Replace(manual, "Fulano de", "Fulano\u2028de", 1), "CORRECT " + manualLine + " WHITE_SPACE"},
	{
		"an invisible character that the length counts", edited("5913Fulano de Tal", "5909João 👩\u200d🍳!"),
		says("Fulano de Tal", "João 👩\u200d🍳!") + " CHARACTERS@59",
	},
	{
		"an invisible character that the length counts in bytes, and another", "\ufeff" + edited("5913Fulano de Tal", "5917João 👩\u200d🍳"),
		says("Fulano de Tal", "João 👩\u200d🍳") + " LENGTH_IN_BYTES WHITE_SPACE CHARACTERS@59",
	},
	{
		"a line break within, lengths in bytes", strings.Replace(edited("5913Fulano de Tal", "5910João Lima"), "6008", "60\n08", 1),
		says("Fulano de Tal", "João Lima") + " LENGTH_IN_BYTES WHITE_SPACE CHARACTERS@59",
	},
	{
		"truncated, with an invisible character", "\u200b" + manual[:99],
		"MISSING " + manualKey + "category=0000 currency=986 WHITE_SPACE WRONG_LENGTH@59",
	},
	{"truncated in the name", manual[:99], "MISSING " + manualKey + "category=0000 currency=986 WRONG_LENGTH@59"},
	{"half of a name", edited("5913Fulano de Tal", "5905LOJA 2099 CENTRO"), "CORRECT " + manualKey + "category=0000 currency=986 country=BR WRONG_LENGTH@20"},
	{"half of a key", edited(manualAccount, "330014br.gov.bcb.pix010752998224725"), "CORRECT " + manualRest + " WRONG_LENGTH@26.47"},
	{
		"length of the name too large", edited("5913Fulano de Tal", "5914Fulano de Tal"),
		"CORRECT " + manualKey + "category=0000 currency=986 country=BR MALFORMED",
	},
	{"length of the account too large", edited("2658", "2699"), "CORRECT " + strings.TrimSpace(manualKey) + " MALFORMED@26 MALFORMED"},
	{"length of the account beyond the end", "00020126995204", "MISSING WRONG_LENGTH@26"},
	{"length of the key too large", edited("0136", "0140"), "CORRECT " + manualRest + " WRONG_LENGTH@26.01"},

	{"name not in ASCII", edited("5913Fulano de Tal", "5909João Lima"), says("Fulano de Tal", "João Lima") + " CHARACTERS@59"},
	{"emoji in the city", edited("6008BRASILIA", "6003S\U0001F600P"), says("BRASILIA", "S\U0001F600P") + " CHARACTERS@60"},
	{
		"length of the name in bytes", edited("5913Fulano de Tal", "5910João Lima"),
		says("Fulano de Tal", "João Lima") + " LENGTH_IN_BYTES CHARACTERS@59",
	},
	{
		"lengths in bytes, and one in characters", edited("5913Fulano de Tal6008BRASILIA", "5910João Lima6009São Paulo"),
		"CORRECT " + manualKey + "category=0000 currency=986 country=BR CHARACTERS@59 MALFORMED",
	},
	{
		"length in bytes of a changed text", strings.Replace(edited("5913Fulano de Tal", "5910João Lima"), "BRASILIA", "BRASILIB", 1),
		"WRONG " + manualKey + "category=0000 currency=986 country=BR CHARACTERS@59 MALFORMED WRONG_CRC@63",
	},
	{
		"length that ends within a character", edited("5913Fulano de Tal", "5903João Lima"),
		"CORRECT " + manualKey + "category=0000 currency=986 country=BR CHARACTERS@59 MALFORMED",
	},
	{"control character in the name", edited("5913Fulano de Tal", "5905A\t\x00\"B"), says("Fulano de Tal", "A\t\x00\"B") + " CHARACTERS@59"},
	{"invalid UTF-8", edited("5913Fulano de Tal", "5903A\xffB"), says("Fulano de Tal", "A\xffB") + " CHARACTERS@59"},

	{"amount", edited("5802BR", "540510.055802BR"), "CORRECT " + manualKey + "cents=1005 " + manualRest},
	{"amount of one decimal", edited("5802BR", "54031.55802BR"), "CORRECT " + manualKey + "cents=150 " + manualRest},
	{"amount without decimals", edited("5802BR", "5402125802BR"), "CORRECT " + manualKey + "cents=1200 " + manualRest},
	{"amount with a final dot", edited("5802BR", "540398.5802BR"), "CORRECT " + manualKey + "cents=9800 " + manualRest},
	{"amount of a cent", edited("5802BR", "54040.015802BR"), "CORRECT " + manualKey + "cents=1 " + manualRest},
	{"largest amount", edited("5802BR", "54139999999999.995802BR"), "CORRECT " + manualKey + "cents=999999999999 " + manualRest},
	{"largest amount without decimals", edited("5802BR", "541399999999999995802BR"), "CORRECT " + manualKey + "cents=999999999999900 " + manualRest},
	{"amount of zero", edited("5802BR", "54040.005802BR"), "CORRECT " + manualKey + "cents=0 " + manualRest + " INVALID@54"},
	{"cash, amount of zero", cash("12345678", "54010"), "CORRECT " + manualKey + "cents=0 " + manualRest},
	{"cash, amount of zero with decimals", cash("12345678", "54040.00"), "CORRECT " + manualKey + "cents=0 " + manualRest},
	{"cash, no ISPB", cash("x", "54010"), "CORRECT " + manualKey + "cents=0 " + manualRest + " INVALID@26.03 INVALID@54"},
	{"cash, a URL", edited(manualAccount, "380014br.gov.bcb.pix0308123456782504a.b/"), "CORRECT kind=DYNAMIC url=a.b/ " + manualRest + " INVALID@26.03"},
	{"amount of 14 characters", edited("5802BR", "541410000000000.005802BR"), "CORRECT " + manualKey + manualRest + " INVALID@54"},
	{"amount of three decimals", edited("5802BR", "54051.2345802BR"), "CORRECT " + manualKey + manualRest + " INVALID@54"},
	{"amount with a comma", edited("5802BR", "54041,235802BR"), "CORRECT " + manualKey + manualRest + " INVALID@54"},
	{"amount without an integer", edited("5802BR", "5403.505802BR"), "CORRECT " + manualKey + manualRest + " INVALID@54"},
	{"negative amount", edited("5802BR", "5404-1.05802BR"), "CORRECT " + manualKey + manualRest + " INVALID@54"},
	{"amount with two dots", edited("5802BR", "54041..55802BR"), "CORRECT " + manualKey + manualRest + " INVALID@54"},

	{"one-time", edited("000201", "000201010212"), says(" key", " once=true key")},
	{"not one-time", edited("000201", "000201010211"), "CORRECT " + manualLine},
	{"other point of initiation", edited("000201", "000201010213"), "CORRECT " + manualLine + " INVALID@01"},
	{"other format", edited("000201", "000202"), "CORRECT " + manualLine + " INVALID@00"},
	{"format not first", withCRC(body(manual)[6:] + "000201"), "CORRECT " + manualLine + " MISPLACED@00"},
	{"no format", withCRC(body(manual)[6:]), "CORRECT " + manualLine + " MISSING@00"},
	{"other currency", edited("5303986", "5303840"), says("986", "840") + " INVALID@53"},
	{"other country", edited("5802BR", "5802US"), says("=BR", "=US") + " INVALID@58"},
	{"category of letters", edited("52040000", "5204ABCD"), says("=0000", "=ABCD") + " INVALID@52"},
	{"no name", edited("5913Fulano de Tal", ""), says(" name=Fulano de Tal", "") + " MISSING@59"},
	{
		"name of 26 characters", edited("5913Fulano de Tal", "5926"+strings.Repeat("N", 26)),
		says("Fulano de Tal", strings.Repeat("N", 26)) + " INVALID@59",
	},
	{"no city", edited("6008BRASILIA", ""), says(" city=BRASILIA", "") + " MISSING@60"},
	{"postal code", edited("6207", "6108700400006207"), "CORRECT " + manualLine + " cep=70040000"},
	{"postal code of 11 characters", edited("6207", "6111700400000006207"), "CORRECT " + manualLine + " cep=70040000000 INVALID@61"},
	{"txid", edited("62070503***", "62080504PED7"), "CORRECT " + manualLine + " txid=PED7"},
	{"txid with a hyphen", edited("62070503***", "62070503a-b"), "CORRECT " + manualLine + " txid=a-b INVALID@62.05"},
	{
		"txid of 26 characters", edited("62070503***", "62300526"+strings.Repeat("a", 26)),
		"CORRECT " + manualLine + " txid=" + strings.Repeat("a", 26) + " INVALID@62.05",
	},
	{"empty txid", edited("62070503***", "62040500"), "CORRECT " + manualLine + " WRONG_LENGTH@62.05 MISSING@62.05"},
	{"no additional data", edited("62070503***", ""), "CORRECT " + manualLine + " MISSING@62.05"},
	{"template of a payment system", edited("62070503***", "62410503***50300017br.gov.bcb.brcode01051.0.0"), "CORRECT " + manualLine},
	{"malformed template of a payment system", edited("62070503***", "62160503***5005abcde"), "CORRECT " + manualLine + " MALFORMED@62.50"},
	{
		"a payment and recurring ones", withCRC(body(manual) + "80330014br.gov.bcb.pix2511pix.e.com/r"),
		says(manualKey, manualKey+"recurrence=pix.e.com/r "),
	},
	{
		"recurring payments without an account", edited("26"+manualAccount, "80330014br.gov.bcb.pix2511pix.e.com/r"),
		says(manualKey, "recurrence=pix.e.com/r ") + " NOT_PIX",
	},
	{
		"recurring payments alone, of the Banco Central",
		"00020126180014br.gov.bcb.pix5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***" +
			"80950014br.gov.bcb.pix2573qr-h.sandbox.pix.bcb.gov.br/rest/api/rec/c7dc3d94706d4901a72480e98fcd52e16304BAEE",
		"CORRECT recurrence=qr-h.sandbox.pix.bcb.gov.br/rest/api/rec/c7dc3d94706d4901a72480e98fcd52e1 " + manualRest,
	},
	{
		"a template of another arrangement", withCRC(body(manual) + "80330014br.gov.bcb.pax2511pix.e.com/r"), "CORRECT " + manualLine,
	},
	{
		"recurring payments with a scheme", withCRC(body(manual) + "81330014BR.GOV.BCB.PIX2511https://a.b"),
		says(manualKey, manualKey+"recurrence=https://a.b ") + " INVALID@81.25",
	},
	{
		"a txid of a dynamic code, which banks ignore", withCRC("00020101021226720014br.gov.bcb.pix2550bx.com.br/pix/8b3da2f3-9a41-40d1-a91a-bd93113bd441" +
			"5204000053039865406123.455802BR5913Fulano de Tal6008BRASILIA62190515RP12345678-2019"),
		"CORRECT kind=DYNAMIC once=true url=bx.com.br/pix/8b3da2f3-9a41-40d1-a91a-bd93113bd441 cents=12345 " + manualRest +
			" txid=RP12345678-2019",
	},
	{
		"length of the key too small", edited("0136123e", "0130123e"),
		"CORRECT category=0000 currency=986 country=BR name=Fulano de Tal city=BRASILIA WRONG_LENGTH@26.44 MALFORMED@26",
	},
	{"empty unreserved template", withCRC(body(manual) + "8000"), "CORRECT " + manualLine + " WRONG_LENGTH@80"},
	{
		"no account, malformed additional data", "62040510",
		"MISSING WRONG_LENGTH@62.05 NOT_PIX MISSING@00 MISSING@52 MISSING@53 MISSING@58 MISSING@59 MISSING@60 MISSING@63",
	},
	{"malformed unreserved template", withCRC(body(manual) + "8003abc"), "CORRECT " + manualLine + " MALFORMED@80"},
	{"malformed unreserved template and no city", edited("6008BRASILIA", "8003abc"), says(" city=BRASILIA", "") + " MALFORMED@80 MISSING@60"},
	{"malformed additional data", edited("62070503***", "62040510"), "CORRECT " + manualLine + " WRONG_LENGTH@62.05"},
	{"unknown field", withCRC(body(manual) + "7003abc"), "CORRECT " + manualLine},
	{"field twice", withCRC(body(manual) + "5802US"), "CORRECT " + manualLine + " DUPLICATE@58"},
	{"field of a template twice", edited("62070503***", "62140503***0503abc"), "CORRECT " + manualLine + " DUPLICATE@62.05"},
	{"id not a number", edited("5802BR", "X802BR"), "CORRECT " + manualKey + "category=0000 MALFORMED"},
	{"digits beyond ASCII", edited("5802BR", "58０２BR"), "CORRECT " + manualKey + "category=0000 MALFORMED"},

	{"empty", "", "MISSING EMPTY"},
	{"white space", " \t\n", "MISSING EMPTY"},
	{"a web address", "https://example.com/", "MISSING MALFORMED"},
	{"a CPF", "52998224725", "MISSING WRONG_LENGTH@52"},
	{"a long text", manual + strings.Repeat(" ", pix.MaxBRCode-len(manual)+1), "MISSING TOO_LONG"},
	{"the longest text that is read", manual + strings.Repeat("9", pix.MaxBRCode-len(manual)), "CORRECT " + manualLine + " TRAILING_TEXT"},
}

func TestParseBRCode(t *testing.T) {
	for _, tt := range brCodes {
		t.Run(tt.name, func(t *testing.T) {
			if got := line(pix.ParseBRCode(tt.text)); got != tt.want {
				t.Errorf("%q\n got %s\nwant %s", tt.text, got, tt.want)
			}
		})
	}
}

// TestProblemsAreBounded: a text of fields without values has no more problems than the bound.
func TestProblemsAreBounded(t *testing.T) {
	var text strings.Builder
	for id := range 100 {
		fmt.Fprintf(&text, "%02d00", id)
	}
	if got := len(pix.ParseBRCode(text.String()).Problems); got != 32 {
		t.Errorf("%d problems, want 32", got)
	}
}

// TestReadTwiceAtMost: a text that somebody made up, with a line break and another character, takes at most twice as
// long as one that is read in one way only. Allocations stand for the time.
func TestReadTwiceAtMost(t *testing.T) {
	fields := strings.Repeat("8003001", 100)
	allocations := func(text string) float64 { return testing.AllocsPerRun(10, func() { pix.ParseBRCode(text) }) }
	if once, all := allocations(fields), allocations(fields+"\né"); all > 2*once {
		t.Errorf("%g allocations, %g for one reading", all, once)
	}
}

func FuzzParseBRCode(f *testing.F) {
	for _, tt := range brCodes {
		f.Add(tt.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, text := range []string{text, withCRC(text)} {
			code := pix.ParseBRCode(text)
			checkProblems(t, code.Problems)
			for _, value := range []string{code.Key, code.URL, code.RecurrenceURL, code.Description, code.Name, code.City, code.PostalCode, code.TxID} {
				if !strings.Contains(withoutBreaks(text), withoutBreaks(value)) || utf8.ValidString(text) && !utf8.ValidString(value) {
					t.Errorf("%q is read from %q", value, text)
				}
			}
			if len(code.Problems) > 0 || code.Cents > 999999999999 || code.Kind == "" { // Encode writes decimals, and a key or a URL
				continue
			}
			if code.Kind == pix.Dynamic {
				code.TxID = "" // any text, which Encode does not write
			}
			again, err := code.Encode()
			if err != nil {
				t.Fatalf("Encode of %q: %v", text, err)
			}
			if back := pix.ParseBRCode(again); len(back.Problems) > 0 || back.BRCode != code.BRCode {
				t.Errorf("%q is read as %+v, want %+v", again, back, code)
			}
		}
	})
}

// checkProblems checks that problems are bounded, and that their codes are listed.
func checkProblems(t *testing.T, problems []pix.Problem) {
	t.Helper()
	if len(problems) > 32 {
		t.Errorf("%d problems", len(problems))
	}
	for i, p := range problems {
		if !slices.Contains(pix.ProblemCodes(), p.Code) || slices.Contains(problems[:i], p) || len(p.Field) > 8 {
			t.Errorf("problem %v", p)
		}
	}
}

// withoutBreaks removes white space and invisible characters, by a list of its own.
func withoutBreaks(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) || unicode.Is(unicode.Cf, c) {
			return -1
		}
		return c
	}, text)
}
