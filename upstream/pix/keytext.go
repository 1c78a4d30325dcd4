package pix

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxKeyText is the maximum length in bytes of a text that is read as a key. The longest key has 77.
const MaxKeyText = 256

// KeyText is what a text, such as one that a person typed, says as a Pix key.
type KeyText struct {
	Type     KeyType   `json:"type,omitempty"`       // "" if the form is unknown
	Normal   string    `json:"normalized,omitempty"` // the key in the form of DICT; "" if the text is not a key
	Problems []Problem `json:"problems"`             // never nil
}

// ParseKey reads a text as a Pix key in linear time. It accepts punctuation, upper-case letters and phone numbers of
// Brazil without a country code, which are problems. For a valid key in DICT's form, Normal is the text.
//
// Eleven digits are a CPF if their check digits are right: DICT's form of a phone number begins with a plus. Otherwise
// they are a mobile phone number if they have the form of one. Punctuation as in 529.982.247-25 or (11) 98765-4321
// decides before that.
func ParseKey(text string) KeyText {
	if len(text) > MaxKeyText { // is not read, since a request may have it for each of many fields
		return KeyText{Problems: []Problem{{TooLong, ""}}}
	}
	r := keyReader{problems: problems{}}
	switch s := visible(text); {
	case s == "":
		r.add(Empty, "")
	case strings.Contains(s, "@"):
		r.email(s)
	default:
		r.number(s, compact(s))
	}
	if r.Normal != "" && r.Normal != text {
		r.add(NotNormal, "")
	}
	return KeyText{r.Type, r.Normal, r.problems}
}

// keyReader reads one text.
type keyReader struct {
	problems
	Type   KeyType
	Normal string
}

// email reads a text with an at sign. Unlike KeyTypeOf, it requires DICT's alphabet: no upper case, no percent sign. A
// single asterisk is allowed in an address.
func (r *keyReader) email(s string) {
	r.Type = Email
	lower := strings.ToLower(s)
	switch {
	case strings.Contains(s, "**"):
		r.add(Masked, "")
	case utf8.RuneCountInString(s) > maxEmail:
		r.add(WrongLength, "")
	case !printable(s) || !validEmail(lower) || strings.Contains(lower, "%"): // some letters have a lower case in ASCII
		r.add(Invalid, "")
	default:
		r.Normal = lower
	}
}

// number reads a text without an at sign, by the form of its letters and digits.
func (r *keyReader) number(s, c string) {
	masked := strings.Contains(c, "*")
	shape := strings.ReplaceAll(c, "*", "0")
	digits := allDigits(shape)
	switch n := len(shape); {
	case n > 1 && shape[0] == '+' && allDigits(shape[1:]):
		r.Type = Phone
	case n == uuidLen-4 && all(shape, isHexadecimal):
		r.Type = EVP
	case n == cnpjLen && alphanumeric(shape) && allDigits(shape[cnpjBase:]):
		r.Type = CNPJ
	case n == cpfLen && digits:
		if r.Type = CPF; punctuation(s) == Phone || punctuation(s) == "" && !masked && !validCPF(c) && mobile(c) {
			r.Type = Phone
		}
	case n == 10 && digits, (n == 12 || n == 13) && digits && (shape[0] == '0' || shape[:2] == countryBrazil):
		r.Type = Phone
	default:
		r.add(UnknownForm, "")
		return
	}
	if masked {
		r.add(Masked, "")
		return
	}
	switch r.Type {
	case Phone:
		r.phone(s, c)
	case EVP:
		c = strings.ToLower(c)
		r.Normal = strings.Join([]string{c[:8], c[8:12], c[12:16], c[16:20], c[20:]}, "-")
	case CNPJ:
		r.checked(strings.ToUpper(c), validCNPJ)
	default:
		if r.checked(c, validCPF); r.Normal != "" && punctuation(s) == "" && mobile(c) {
			r.add(Ambiguous, "")
		}
	}
}

func (r *keyReader) checked(number string, valid func(string) bool) {
	if !valid(number) {
		r.add(CheckDigits, "")
		return
	}
	r.Normal = number
}

// phone reads a plus and digits, or the digits of a phone number of Brazil: with the country code, or without it and
// with or without the zero of long-distance calls. s has the punctuation: in (06) 98425-7475 the zero is no such zero.
func (r *keyReader) phone(s, c string) {
	plus := c[0] == '+'
	if !plus {
		r.add(CountryCode, "")
		if len(c) <= 11 || c[0] == '0' {
			c = countryBrazil + strings.TrimPrefix(c, "0")
		}
		c = "+" + c
	}
	if !validPhone(c) {
		r.add(Invalid, "")
		return
	}
	valid := true
	if national, brazil := strings.CutPrefix(c, "+"+countryBrazil); brazil {
		first := strings.FieldsFunc(s, func(c rune) bool { return c < '0' || c > '9' })[0]
		switch {
		case len(first) == 2 && first[0] == '0':
			r.add(AreaCode, "")
			valid = false
		case len(national) != 10 && (len(national) != 11 || national[2] != '9'):
			r.add(Invalid, "")
			valid = false
		case !strings.Contains(areaCodes, national[:2]):
			r.add(AreaCode, "")
			valid = false
		}
	}
	if valid || plus { // DICT accepts any number with a plus
		r.Normal = c
	}
}

const countryBrazil = "55"

// areaCodes are the area codes of Brazil, the national codes of Anatel's numbering plan.
const areaCodes = "11 12 13 14 15 16 17 18 19 21 22 24 27 28 31 32 33 34 35 37 38 41 42 43 44 45 46 47 48 49 51 53 54 55 " +
	"61 62 63 64 65 66 67 68 69 71 73 74 75 77 79 81 82 83 84 85 86 87 88 89 91 92 93 94 95 96 97 98 99"

// mobile reports whether eleven digits are a mobile phone number of Brazil: an area code, 9 and eight digits.
func mobile(digits string) bool {
	return digits[2] == '9' && strings.Contains(areaCodes, digits[:2])
}

// punctuation returns the type whose usual punctuation a text of eleven digits has, or "": a CPF has a dash before the
// last two digits, a phone number parentheses or a dash before the last four.
func punctuation(s string) KeyType {
	if strings.ContainsAny(s, "()") {
		return Phone
	}
	if at := strings.LastIndexFunc(s, dash); at >= 0 {
		switch len(compact(s[at:])) {
		case 2:
			return CPF
		case 4:
			return Phone
		}
	}
	return ""
}

// compact removes the characters that people write between digits: white space, dashes, dots, slashes and parentheses.
func compact(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) || dash(c) || strings.ContainsRune("./()", c) {
			return -1
		}
		return c
	}, s)
}

func dash(c rune) bool { return unicode.Is(unicode.Pd, c) }
