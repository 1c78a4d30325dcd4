// Package pix checks the identifiers of Pix, the Brazilian instant payment arrangement: keys (CPF, CNPJ, e-mail, phone,
// EVP), BR Codes, EndToEndIds and the UUIDs that the payment service uses. It also builds valid ones for the sandbox.
//
// Its checks, such as [KeyTypeOf], normalize nothing: a text that is not in the canonical form is invalid. They do not
// allocate. Its parsers, such as [ParseBRCode], read any text as far as possible and return its problems.
//
// It looks nothing up: a valid key need not be registered. Everything runs in linear time and accepts any bytes, so it
// is safe for hostile input.
//
// Read [KeyTypeOf] first, then [Problem].
package pix

// KeyType is the type of a Pix key (spec 2.5, PixKeyVo).
type KeyType string

// The five types of key.
const (
	CPF   KeyType = "CPF"   // of a person: 11 digits, see [NewCPF]
	CNPJ  KeyType = "CNPJ"  // of a company: 14 characters, see [NewCNPJ]
	Email KeyType = "EMAIL" // as HTML accepts it, at most 77 characters
	Phone KeyType = "PHONE" // E.164, such as +5511987654321
	EVP   KeyType = "EVP"   // a random key: a lower-case UUID
)

// KeyTypeOf returns the type of a valid key, and false for any other text.
//
// Spec 4.2 requires a "valid Pix key (CPF, CNPJ, EMAIL, PHONE or EVP)" and does not define the forms. Our choice is the
// forms of DICT, the arrangement's directory of keys: CPF and CNPJ without punctuation and with valid check digits,
// EVPs in lower case, phones with a plus and a country code. For e-mails we accept more, all that HTML accepts, because
// an API may contain such keys. No text has more than one type.
func KeyTypeOf(key string) (KeyType, bool) {
	switch {
	case validCPF(key):
		return CPF, true
	case validCNPJ(key):
		return CNPJ, true
	case validPhone(key):
		return Phone, true
	case validEVP(key):
		return EVP, true
	case validEmail(key):
		return Email, true
	}
	return "", false
}

// ValidKey reports whether key is a valid Pix key of any type.
func ValidKey(key string) bool {
	_, ok := KeyTypeOf(key)
	return ok
}
