package pix_test

import (
	"strings"
	"testing"

	"pixgraph/upstream/pix"
)

// The static code in the Banco Central's BR Code manual.
const manual = "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-426655440000" +
	"5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D"

func TestBRCode(t *testing.T) {
	tests := []struct {
		name string
		code pix.BRCode
		want string
	}{
		{"static, the manual's example",
			pix.BRCode{Key: "123e4567-e12b-12d1-a456-426655440000", Name: "Fulano de Tal", City: "BRASILIA"}, manual},
		{"static with an amount, a description and a txid",
			pix.BRCode{Key: "+5511987654321", Description: "Pedido 7", Cents: 1005, Name: "LOJA", City: "SAO PAULO", TxID: "PED7"},
			"00020126480014br.gov.bcb.pix0114+55119876543210208Pedido 7" +
				"520400005303986540510.055802BR5904LOJA6009SAO PAULO62080504PED76304"},
		{"dynamic, one-time",
			pix.BRCode{URL: "pix.example.com/qr/v2/7", OneTime: true, Cents: 7, Name: "LOJA", City: "RECIFE"},
			"00020101021226450014br.gov.bcb.pix2523pix.example.com/qr/v2/7" +
				"52040000530398654040.075802BR5904LOJA6006RECIFE62070503***6304"},
		{"maximum lengths",
			pix.BRCode{URL: strings.Repeat("u", 77), Cents: 999999999999, Name: strings.Repeat("N", 25),
				City: strings.Repeat("C", 15), TxID: strings.Repeat("T", 25)}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text, err := tt.code.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(text, tt.want) || tt.want != "" && len(text)-len(tt.want) > 4 {
				t.Errorf("Encode = %s, want %s", text, tt.want)
			}
			back := pix.ParseBRCode(text)
			if back.BRCode != tt.code || len(back.Problems) > 0 || back.CRC != pix.CRCCorrect {
				t.Errorf("ParseBRCode = %+v; want %+v", back, tt.code)
			}
		})
	}
}

func TestBRCodeRejects(t *testing.T) {
	good := pix.BRCode{Key: "52998224725", Name: "LOJA", City: "RECIFE"}
	tests := []struct {
		name   string
		modify func(*pix.BRCode)
	}{
		{"neither key nor url", func(c *pix.BRCode) { c.Key = "" }},
		{"key and url", func(c *pix.BRCode) { c.URL = "pix.example.com" }},
		{"url with a description", func(c *pix.BRCode) { c.Key, c.URL, c.Description = "", "pix.example.com", "x" }},
		{"long url", func(c *pix.BRCode) { c.Key, c.URL = "", strings.Repeat("u", 78) }},
		{"key and description beyond the account", func(c *pix.BRCode) { c.Description = strings.Repeat("d", 80) }},
		{"no name", func(c *pix.BRCode) { c.Name = "" }},
		{"long name", func(c *pix.BRCode) { c.Name = strings.Repeat("N", 26) }},
		{"name not in ASCII", func(c *pix.BRCode) { c.Name = "PÃO" }},
		{"no city", func(c *pix.BRCode) { c.City = "" }},
		{"long city", func(c *pix.BRCode) { c.City = strings.Repeat("C", 16) }},
		{"negative amount", func(c *pix.BRCode) { c.Cents = -1 }},
		{"amount above the maximum", func(c *pix.BRCode) { c.Cents = 1_000_000_000_000 }},
		{"txid with a hyphen", func(c *pix.BRCode) { c.TxID = "a-b" }},
		{"long txid", func(c *pix.BRCode) { c.TxID = strings.Repeat("a", 26) }},
	}
	if _, err := good.Encode(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code := good
			tt.modify(&code)
			if text, err := code.Encode(); err == nil {
				t.Errorf("Encode = %s, want an error", text)
			}
		})
	}
}

func body(code string) string { return code[:len(code)-len("6304FFFF")] }

// withCRC appends the CRC of a body. It is computed by bitwise polynomial division, unlike in the package.
func withCRC(body string) string {
	text := body + "6304"
	bits := make([]byte, 0, 8*len(text)+16)
	for i := range len(text) {
		for b := 7; b >= 0; b-- {
			bits = append(bits, text[i]>>b&1)
		}
	}
	bits = append(bits, make([]byte, 16)...)
	for i := range 16 { // the register starts as all ones
		bits[i] ^= 1
	}
	divisor := [17]byte{0: 1, 4: 1, 11: 1, 16: 1} // x^16 + x^12 + x^5 + 1
	for i := range len(bits) - 16 {
		if bits[i] == 1 {
			for j, d := range divisor {
				bits[i+j] ^= d
			}
		}
	}
	const hex = "0123456789ABCDEF"
	for n := bits[len(bits)-16:]; len(n) > 0; n = n[4:] {
		text += string(hex[n[0]<<3|n[1]<<2|n[2]<<1|n[3]])
	}
	return text
}
