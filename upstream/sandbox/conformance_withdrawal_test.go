package sandbox_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
)

// withdrawals is spec 4.2.
func (c *conformance) withdrawals(t *testing.T) {
	address := c.core + "/withdrawal"
	t.Run("credentials", func(t *testing.T) { c.credentials(t, address, address+"?id=x") })
	t.Run("records", func(t *testing.T) { c.records(t, address, withdrawalShape) })
	t.Run("dates", func(t *testing.T) { c.validations(t, address, dateValidations) })
	t.Run("status", func(t *testing.T) {
		c.validations(t, address, listValidations("status", withdrawalStatuses))
		c.filtersByList(t, address, "status", withdrawalStatuses)
	})
	t.Run("status of deposits only", func(t *testing.T) {
		c.validations(t, address, []validation{{"PAID", "status=PAID", 422}, {"BLOCKED", "status=PROCESSED&status=BLOCKED", 422}})
	})
	t.Run("id", func(t *testing.T) {
		c.validations(t, address, uuidValidations)
		c.filtersByText(t, address, "id", func(record map[string]json.RawMessage) string { return text(t, record, "id") })
	})
	t.Run("pixKey", func(t *testing.T) {
		c.validations(t, address, pixKeyValidations)
		c.filtersByText(t, address, "pixKey", func(record map[string]json.RawMessage) string {
			var key struct{ Key string }
			if raw, ok := record["pixKey"]; ok {
				if err := json.Unmarshal(raw, &key); err != nil {
					t.Fatalf("pixKey: %v", err)
				}
			}
			return key.Key
		})
	})
	for _, name := range []string{"endToEnd", "endToEndRefund", "externalCode"} {
		t.Run(name, func(t *testing.T) {
			c.validations(t, address, textValidations(name))
			c.filtersByText(t, address, name, func(record map[string]json.RawMessage) string {
				if s := text(t, record, name); len(s) >= 8 {
					return s
				}
				return "" // the filter does not accept it
			})
		})
	}
	t.Run("amounts", func(t *testing.T) {
		c.validations(t, address, amountValidations("10", "9"))
		c.filtersByAmount(t, address)
	})
	if c.sandbox != nil {
		t.Run("sandbox", func(t *testing.T) {
			c.lists(t, address, c.sandbox.Ledger().Withdrawals())
			c.pages(t, address, c.sandbox.Ledger().Withdrawals())
			t.Run("id in upper case", func(t *testing.T) {
				id := c.sandbox.Ledger().Withdrawals()[0].ID
				if p := c.page(t, address+"?id="+strings.ToUpper(id)); p.Total != 1 || text(t, p.Data[0], "id") != id {
					t.Errorf("total %d, want the one withdrawal", p.Total)
				}
			})
		})
	}
}

var uuidValidations = []validation{
	{"v4", "id=7b0c1d9e-52f4-4b1a-9d53-0f6c8e7a2b31", 200},
	{"v1", "id=7b0c1d9e-52f4-1b1a-9d53-0f6c8e7a2b31", 422},
	{"v7", "id=7b0c1d9e-52f4-7b1a-9d53-0f6c8e7a2b31", 422},
	{"nil", "id=00000000-0000-0000-0000-000000000000", 422},
	{"another variant", "id=7b0c1d9e-52f4-4b1a-1d53-0f6c8e7a2b31", 422},
	{"empty", "id=", 422},
	{"word", "id=abc", 422},
	{"without hyphens", "id=7b0c1d9e52f44b1a9d530f6c8e7a2b31", 422},
	{"braces", "id=%7B7b0c1d9e-52f4-4b1a-9d53-0f6c8e7a2b31%7D", 422},
	{"urn", "id=urn:uuid:7b0c1d9e-52f4-4b1a-9d53-0f6c8e7a2b31", 422},
	{"not hexadecimal", "id=7b0c1d9e-52f4-4b1a-9d53-0f6c8e7a2b3g", 422},
	{"two joined", "id=7b0c1d9e-52f4-4b1a-9d53-0f6c8e7a2b31,7b0c1d9e-52f4-4b1a-9d53-0f6c8e7a2b32", 422},
}

var pixKeyValidations = []validation{
	{"CPF", "pixKey=52998224725", 200},
	{"CNPJ", "pixKey=11222333000181", 200},
	{"alphanumeric CNPJ", "pixKey=12ABC34501DE35", 200},
	{"e-mail", "pixKey=ana.souza%40example.com", 200},
	{"e-mail with a tag", "pixKey=ana%2Bpix%40example.com", 200},
	{"e-mail in upper case", "pixKey=Ana.Souza%40EXAMPLE.com", 200},
	{"e-mail with a percent sign", "pixKey=ana%25pix%40example.com", 200},
	{"phone", "pixKey=%2B5511987654321", 200},
	{"EVP", "pixKey=7b0c1d9e-52f4-4b1a-9d53-0f6c8e7a2b31", 200},
	{"CPF with wrong check digits", "pixKey=52998224726", 422},
	{"CPF of equal digits", "pixKey=11111111111", 422},
	{"CNPJ with wrong check digits", "pixKey=11222333000182", 422},
	{"alphanumeric CNPJ with wrong check digits", "pixKey=12ABC34501DE36", 422},
	{"too few digits", "pixKey=5299822472", 422},
	{"phone without a plus", "pixKey=5511987654321", 422},
	{"phone with a plus that is not encoded", "pixKey=+5511987654321", 422},
	{"e-mail without a domain", "pixKey=ana%40", 422},
	{"EVP without hyphens", "pixKey=7b0c1d9e52f44b1a9d530f6c8e7a2b31", 422},
	{"empty", "pixKey=", 422},
	{"word", "pixKey=abc", 422},
}

// textValidations: 8 to 255 characters, which need not be bytes.
func textValidations(name string) []validation {
	p := name + "="
	return []validation{
		{"8", p + strings.Repeat("a", 8), 200},
		{"255", p + strings.Repeat("a", 255), 200},
		{"8 of two bytes", p + url.QueryEscape(strings.Repeat("ã", 8)), 200},
		{"255 of two bytes", p + url.QueryEscape(strings.Repeat("ã", 255)), 200},
		{"7", p + strings.Repeat("a", 7), 422},
		{"7 of two bytes", p + url.QueryEscape(strings.Repeat("ã", 7)), 422},
		{"256", p + strings.Repeat("a", 256), 422},
		{"empty", p, 422},
	}
}

// filtersByText: the filter with the value of a record returns only records with that value, including that record.
func (c *conformance) filtersByText(t *testing.T, address, name string, value func(map[string]json.RawMessage) string) {
	t.Run("filters", func(t *testing.T) {
		want := sample(t, c.page(t, address), value)
		p := c.page(t, address+"?"+url.Values{name: {want}}.Encode())
		if p.Total == 0 || len(p.Data) == 0 {
			t.Fatal("the filter does not find the record")
		}
		for _, record := range p.Data {
			if got := value(record); got != want {
				t.Errorf("a record with %q, want %q", got, want)
			}
		}
	})
}
