// Package pix knows the identifiers of Pix, the Brazilian instant payment
// arrangement: keys (CPF, CNPJ, e-mail, phone, EVP), BR Codes, EndToEndIds
// and the UUIDs that the payment service uses. It checks their form, and
// builds valid ones for the sandbox.
//
// It is not a client of anything and looks nothing up: a key that is valid
// here need not be registered with anyone. It normalises nothing either: what
// is not in the form that the arrangement sends is refused, not repaired.
//
// Every check is linear in its input, allocates nothing and takes any bytes,
// so it can stand in front of hostile input.
//
// Read [KeyTypeOf] first.
package pix

// KeyType is the type of a Pix key (spec 2.5, PixKeyVo).
type KeyType string

// The five types of key.
const (
	CPF   KeyType = "CPF"   // of a person: 11 digits, see [NewCPF]
	CNPJ  KeyType = "CNPJ"  // of a company: 14 characters, see [NewCNPJ]
	Email KeyType = "EMAIL" // as HTML takes it, at most 77 characters
	Phone KeyType = "PHONE" // E.164, such as +5511987654321
	EVP   KeyType = "EVP"   // a random key: a lower-case UUID
)

// KeyTypeOf tells the type of a valid key, and false for any other text.
//
// Spec 4.2 asks for "valid Pix key (CPF, CNPJ, EMAIL, PHONE or EVP)"
// and does not show the forms. Our choice is the forms of DICT, the
// arrangement's directory of keys: CPF and CNPJ without punctuation and with
// right check digits, EVPs in lower case, phones with a plus and a country
// code. Of e-mails more is taken, what HTML takes, because an API may hold
// more. No text has more than one type.
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
