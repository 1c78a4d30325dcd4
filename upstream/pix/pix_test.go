package pix_test

import (
	"strings"
	"testing"

	"pixgraph/upstream/pix"
)

func TestKeyTypeOf(t *testing.T) {
	label63 := strings.Repeat("d", 63)
	tests := []struct {
		name, key string
		want      pix.KeyType // empty: not a valid key
	}{
		{"cpf", "52998224725", pix.CPF},
		{"cpf with a zero check digit", "12345678909", pix.CPF},
		{"cpf with punctuation", "529.982.247-25", ""},
		{"cpf with a wrong first check digit", "52998224735", ""},
		{"cpf with a wrong second check digit", "52998224726", ""},
		{"cpf of equal digits", "11111111111", ""},
		{"cpf of zeros", "00000000000", ""},
		{"cpf too short", "5299822472", ""},
		{"cpf too long", "529982247250", ""},
		{"cpf with a letter", "5299822472A", ""},
		{"cpf with full-width digits", "５２９９８２２４７２５", ""},

		{"cnpj", "11222333000181", pix.CNPJ},
		{"cnpj of Banco do Brasil", "00000000000191", pix.CNPJ},
		{"cnpj of Itaú", "60701190000104", pix.CNPJ},
		{"cnpj alphanumeric, the Receita's example", "12ABC34501DE35", pix.CNPJ},
		{"cnpj alphanumeric with punctuation", "12.ABC.345/01DE-35", ""},
		{"cnpj alphanumeric in lower case", "12abc34501de35", ""},
		{"cnpj with a letter as check digit", "12ABC34501DE3A", ""},
		{"cnpj with a wrong first check digit", "11222333000191", ""},
		{"cnpj with a wrong second check digit", "11222333000180", ""},
		{"cnpj of zeros", "00000000000000", ""},
		{"cnpj of twelve equal digits", "11111111111180", pix.CNPJ},
		{"cnpj too long", "112223330001811", ""},

		{"phone", "+5511987654321", pix.Phone},
		{"phone in another country", "+14155552671", pix.Phone},
		{"phone of fifteen digits", "+123456789012345", pix.Phone},
		{"phone of two digits", "+12", pix.Phone},
		{"phone of one digit", "+1", ""},
		{"phone of sixteen digits", "+1234567890123456", ""},
		{"phone without a plus", "5511987654321", ""},
		{"phone starting with zero", "+0511987654321", ""},
		{"phone with spaces", "+55 11 98765-4321", ""},
		{"only a plus", "+", ""},

		{"email", "maria.souza@example.com", pix.Email},
		{"email with special characters", "a!#$%&'*+/=?^_`{|}~-b@example.com", pix.Email},
		{"email of a domain without a dot", "pix@localhost", pix.Email},
		{"email of 77 characters", strings.Repeat("a", 65) + "@example.com", pix.Email},
		{"email of 78 characters", strings.Repeat("a", 66) + "@example.com", ""},
		{"email with a label of 63", "a@" + label63 + ".com", pix.Email},
		{"email with a label of 64", "a@d" + label63 + ".com", ""},
		{"email in upper case", "MARIA@EXAMPLE.COM", pix.Email},
		{"email with a percent sign", "a%b@example.com", pix.Email},
		{"email with a percent sign in its domain", "a@b%c.com", ""},
		{"email with quotes", `"a b"@example.com`, ""},
		{"email with an address literal", "a@[127.0.0.1]", ""},
		{"email without a local part", "@example.com", ""},
		{"email without a domain", "maria@", ""},
		{"email with two at signs", "a@b@example.com", ""},
		{"email with an empty label", "a@example..com", ""},
		{"email with a final dot", "a@example.com.", ""},
		{"email with a label starting with a hyphen", "a@-example.com", ""},
		{"email with a label ending with a hyphen", "a@example-.com", ""},
		{"email with a space", "a b@example.com", ""},
		{"email with a non-ASCII letter", "joão@example.com", ""},

		{"evp", "71cdf9ba-c695-4e3c-b010-abb521a3f1be", pix.EVP},
		{"evp of another version, the manual's example", "123e4567-e12b-12d1-a456-426655440000", pix.EVP},
		{"evp in upper case", "71CDF9BA-C695-4E3C-B010-ABB521A3F1BE", ""},
		{"evp in braces", "{71cdf9ba-c695-4e3c-b010-abb521a3f1be}", ""},
		{"evp without hyphens", "71cdf9bac6954e3cb010abb521a3f1be", ""},

		{"empty", "", ""},
		{"a space before", " 52998224725", ""},
		{"a line feed after", "52998224725\n", ""},
		{"invalid UTF-8", "\xff\xfe@\xff", ""},
		{"a NUL", "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", ""},
		{"a megabyte of digits", strings.Repeat("1", 1<<20), ""},
		{"a megabyte of dots", "a@" + strings.Repeat(".", 1<<20), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := pix.KeyTypeOf(tt.key)
			if got != tt.want || ok != (tt.want != "") {
				t.Errorf("KeyTypeOf = %q, %v; want %q", got, ok, tt.want)
			}
			if pix.ValidKey(tt.key) != ok {
				t.Errorf("ValidKey = %v, KeyTypeOf says %v", !ok, ok)
			}
		})
	}
}

func TestChecksAllocateNothing(t *testing.T) {
	texts := []string{
		"52998224725", "12ABC34501DE35", "+5511987654321", "maria@example.com",
		"71cdf9ba-c695-4e3c-b010-abb521a3f1be", "\xff\x00 not an identifier",
	}
	allocs := testing.AllocsPerRun(100, func() {
		for _, s := range texts {
			_, _ = pix.KeyTypeOf(s)
			_ = pix.ValidUUIDv4(s)
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations, want none", allocs)
	}
}
