package pix_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pixgraph/upstream/pix"
)

// keyTexts are labelled texts of a form: the type and the normal form, and the problems.
var keyTexts = []struct{ name, text, key, problems string }{
	{"CPF", "52998224725", "CPF 52998224725", ""},
	{"CPF with punctuation", "529.982.247-25", "CPF 52998224725", "NOT_NORMAL"},
	{"CPF with a hyphen", "529982247-25", "CPF 52998224725", "NOT_NORMAL"},
	{"CPF with spaces", " 529 982 247 25 ", "CPF 52998224725", "NOT_NORMAL"},
	{"CPF with wrong check digits", "529.982.247-26", "CPF ", "CHECK_DIGITS"},
	{"CPF of equal digits", "11111111111", "CPF ", "CHECK_DIGITS"},
	{"CPF of zeros", "000.000.000-00", "CPF ", "CHECK_DIGITS"},
	{"masked CPF", "***.783.097-**", "CPF ", "MASKED"},
	{"masked CPF without punctuation", "***783097**", "CPF ", "MASKED"},
	{"CPF that could be a mobile phone number", "11912345684", "CPF 11912345684", "AMBIGUOUS"},
	{"the same as a CPF", "119.123.456-84", "CPF 11912345684", "NOT_NORMAL"},
	{"the same as a phone number", "(11) 91234-5684", "PHONE +5511912345684", "COUNTRY_CODE NOT_NORMAL"},
	{"the same with a hyphen", "1191234-5684", "PHONE +5511912345684", "COUNTRY_CODE NOT_NORMAL"},
	{"the same with another dash", "1191234\u20115684", "PHONE +5511912345684", "COUNTRY_CODE NOT_NORMAL"},
	{"the same with a space after the hyphen", "1191234-56 84", "PHONE +5511912345684", "COUNTRY_CODE NOT_NORMAL"},
	{"the same with half of the parentheses", "11) 91234 5684", "PHONE +5511912345684", "COUNTRY_CODE NOT_NORMAL"},
	{"the same with a plus", "+5511912345684", "PHONE +5511912345684", ""},
	{"the same with spaces", "11 91234 5684", "CPF 11912345684", "AMBIGUOUS NOT_NORMAL"},
	{"CPF with the third digit 9 and no area code", "20987654365", "CPF 20987654365", ""},

	{"CNPJ", "11222333000181", "CNPJ 11222333000181", ""},
	{"CNPJ with punctuation", "11.222.333/0001-81", "CNPJ 11222333000181", "NOT_NORMAL"},
	{"CNPJ with wrong check digits", "11.222.333/0001-82", "CNPJ ", "CHECK_DIGITS"},
	{"alphanumeric CNPJ", "12ABC34501DE35", "CNPJ 12ABC34501DE35", ""},
	{"alphanumeric CNPJ with punctuation", "12.ABC.345/01DE-35", "CNPJ 12ABC34501DE35", "NOT_NORMAL"},
	{"alphanumeric CNPJ in lower case", "12.abc.345/01de-35", "CNPJ 12ABC34501DE35", "NOT_NORMAL"},
	{"alphanumeric CNPJ with wrong check digits", "12ABC34501DE36", "CNPJ ", "CHECK_DIGITS"},
	{"CNPJ with letters as check digits", "12ABC34501DEAB", " ", "UNKNOWN_FORM"},
	{"CNPJ of twelve equal digits", "11.111.111/1111-80", "CNPJ 11111111111180", "NOT_NORMAL"},
	{"CNPJ of zeros", "00.000.000/0000-00", "CNPJ ", "CHECK_DIGITS"},
	{"masked CNPJ", "**.222.333/0001-**", "CNPJ ", "MASKED"},

	{"phone", "+5511987654321", "PHONE +5511987654321", ""},
	{"phone with spaces and parentheses", "+55 (11) 98765-4321", "PHONE +5511987654321", "NOT_NORMAL"},
	{"phone with invisible characters", "\u202a+55\u00a011\u00a098765\u20114321\u202c", "PHONE +5511987654321", "NOT_NORMAL"},
	{"phone without a plus", "5511987654321", "PHONE +5511987654321", "COUNTRY_CODE NOT_NORMAL"},
	{"phone without a country code", "11987654321", "PHONE +5511987654321", "COUNTRY_CODE NOT_NORMAL"},
	{"phone with dots", "11.98765.4321", "PHONE +5511987654321", "COUNTRY_CODE NOT_NORMAL"},
	{"landline", "(11) 3265-4321", "PHONE +551132654321", "COUNTRY_CODE NOT_NORMAL"},
	{"landline of ten digits", "1132654321", "PHONE +551132654321", "COUNTRY_CODE NOT_NORMAL"},
	{"landline with a plus", "+551132654321", "PHONE +551132654321", ""},
	{"phone with a zero", "011987654321", "PHONE +5511987654321", "COUNTRY_CODE NOT_NORMAL"},
	{"landline with a zero", "(011) 3265-4321", "PHONE +551132654321", "COUNTRY_CODE NOT_NORMAL"},
	{"area code 55", "(55) 99876-5432", "PHONE +5555998765432", "COUNTRY_CODE NOT_NORMAL"},
	{"area code that does not exist", "(20) 98765-4321", "PHONE ", "COUNTRY_CODE AREA_CODE"},
	{"area code of two digits with a zero", "(06) 98425-7475", "PHONE ", "COUNTRY_CODE AREA_CODE"},
	{"the same without parentheses", "06 98425-7475", "PHONE ", "COUNTRY_CODE AREA_CODE"},
	{"area code that does not exist, with a plus", "+5520987654321", "PHONE +5520987654321", "AREA_CODE"},
	{"eleven digits that are neither", "20987654321", "CPF ", "CHECK_DIGITS"},
	{"mobile phone without the 9", "(11) 88765-4321", "PHONE ", "COUNTRY_CODE INVALID"},
	{"mobile phone without the 9, with a plus", "+5511887654321", "PHONE +5511887654321", "INVALID"},
	{"phone of nine digits with a plus", "+55119876543", "PHONE +55119876543", "INVALID"},
	{"phone in another country", "+1 (415) 555-2671", "PHONE +14155552671", "NOT_NORMAL"},
	{"phone of sixteen digits", "+1234567890123456", "PHONE ", "INVALID"},
	{"phone starting with zero", "+0511987654321", "PHONE ", "INVALID"},
	{"masked phone", "+55 11 9****-4321", "PHONE ", "MASKED"},
	{"masked phone without a country code", "(11) 9****-4321", "PHONE ", "MASKED"},

	{"e-mail", "maria.souza@example.com", "EMAIL maria.souza@example.com", ""},
	{"e-mail in upper case", " Maria.Souza@Example.COM", "EMAIL maria.souza@example.com", "NOT_NORMAL"},
	{"e-mail with invisible characters", "\ufeffcaixa@lo\u200bja.exa\r\nmple\u200e", "EMAIL caixa@loja.example", "NOT_NORMAL"},
	{"e-mail with one asterisk", "a*b@example.com", "EMAIL a*b@example.com", ""},
	{"e-mail with a percent sign", "a%b@example.com", "EMAIL ", "INVALID"},
	{"e-mail with a space", "maria souza@example.com", "EMAIL ", "INVALID"},
	{"e-mail with a letter beyond ASCII", "joão@example.com", "EMAIL ", "INVALID"},
	{"e-mail whose lower case would be ASCII", "mari\u212a@example.com", "EMAIL ", "INVALID"},
	{"e-mail without a domain", "maria@", "EMAIL ", "INVALID"},
	{"e-mail of 77 characters", strings.Repeat("a", 65) + "@example.com", "EMAIL " + strings.Repeat("a", 65) + "@example.com", ""},
	{"e-mail of 78 characters", strings.Repeat("a", 66) + "@example.com", "EMAIL ", "WRONG_LENGTH"},
	{"e-mail of 78 bytes", strings.Repeat("é", 33) + "@example.com", "EMAIL ", "INVALID"},
	{"masked e-mail", "m***@example.com", "EMAIL ", "MASKED"},

	{"EVP", "71cdf9ba-c695-4e3c-b010-abb521a3f1be", "EVP 71cdf9ba-c695-4e3c-b010-abb521a3f1be", ""},
	{"EVP, the manual's example", "123e4567-e12b-12d1-a456-426655440000", "EVP 123e4567-e12b-12d1-a456-426655440000", ""},
	{"EVP in upper case", "71CDF9BA-C695-4E3C-B010-ABB521A3F1BE", "EVP 71cdf9ba-c695-4e3c-b010-abb521a3f1be", "NOT_NORMAL"},
	{"EVP without hyphens", "71cdf9bac6954e3cb010abb521a3f1be", "EVP 71cdf9ba-c695-4e3c-b010-abb521a3f1be", "NOT_NORMAL"},
	{"EVP of digits", strings.Repeat("1", 32), "EVP 11111111-1111-1111-1111-111111111111", "NOT_NORMAL"},
	{"EVP with a letter beyond f", "71cdf9bg-c695-4e3c-b010-abb521a3f1be", " ", "UNKNOWN_FORM"},
	{"masked EVP", "71cdf9ba-****-****-****-abb521a3f1be", "EVP ", "MASKED"},

	{"empty", "", " ", "EMPTY"},
	{"white space", " \t\u00a0\n", " ", "EMPTY"},
	{"only punctuation", "---", " ", "UNKNOWN_FORM"},
	{"only a plus", "+", " ", "UNKNOWN_FORM"},
	{"a name", "Maria de Souza", " ", "UNKNOWN_FORM"},
	{"a BR Code", manual, " ", "UNKNOWN_FORM"},
	{"nine digits", "987654321", " ", "UNKNOWN_FORM"},
	{"full-width digits", "５２９９８２２４７２５", " ", "UNKNOWN_FORM"},
	{"invalid UTF-8", "529982247\xff25", " ", "UNKNOWN_FORM"},
	{"a long text", strings.Repeat(" ", pix.MaxKeyText) + "1", " ", "TOO_LONG"},
	{"a megabyte of signs", strings.Repeat("@", 1<<20), " ", "TOO_LONG"},
}

func TestParseKey(t *testing.T) {
	for _, tt := range keyTexts {
		t.Run(tt.name, func(t *testing.T) {
			got := pix.ParseKey(tt.text)
			key, problems := string(got.Type)+" "+got.Normal, strings.Join(problemWords(got.Problems), " ")
			if key != tt.key || problems != tt.problems {
				t.Errorf("%q: %q with the problems %q, want %q, %q", tt.text, key, problems, tt.key, tt.problems)
			}
		})
	}
}

// FuzzParseKey: the normal form is a key of its type, which is read as itself, and a key in DICT's form is its normal
// form.
func FuzzParseKey(f *testing.F) {
	for _, tt := range keyTexts {
		f.Add(tt.text)
	}
	f.Add("\xff")
	f.Fuzz(func(t *testing.T, text string) {
		got := pix.ParseKey(text)
		checkProblems(t, got.Problems)
		if (got.Normal == "" || got.Type == "") && len(got.Problems) == 0 {
			t.Errorf("%q has neither a normal form nor a problem", text)
		}
		if got.Normal != "" {
			again := pix.ParseKey(got.Normal)
			if typ, ok := pix.KeyTypeOf(got.Normal); !ok || typ != got.Type || again.Normal != got.Normal || again.Type != got.Type {
				t.Errorf("%q has the normal form %+v, which is read as %v %+v", text, got, typ, again)
			}
		}
		typ, ok := pix.KeyTypeOf(text)
		if ok && (typ == "" || len(text) > 77 || !utf8.ValidString(text)) {
			t.Errorf("KeyTypeOf(%q) = %q", text, typ)
		}
		lenient := typ == pix.Email && (strings.ToLower(text) != text || strings.Contains(text, "%") || strings.Contains(text, "**"))
		if ok && !lenient && (got.Type != typ || got.Normal != text) {
			t.Errorf("%q is a key of the type %v, but is read as %+v", text, typ, got)
		}
	})
}

// TestLongTextIsNotRead: a request may have the same text for each of many fields.
func TestLongTextIsNotRead(t *testing.T) {
	allocations := func(text string) float64 { return testing.AllocsPerRun(10, func() { pix.ParseKey(text) }) }
	if long, short := allocations(strings.Repeat("\n1", pix.MaxKeyText)), allocations("x"); long > short {
		t.Errorf("%v allocations, %v for a short text", long, short)
	}
}
