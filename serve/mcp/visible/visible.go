// Package visible shows texts that other people wrote to an assistant.
package visible

import (
	"fmt"
	"net"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/go-faster/jx"

	"pixgraph/upstream/pix"
)

const (
	// MaxText bounds a text that other people wrote, in characters.
	MaxText = 200
	// MaxRead bounds the characters that are searched for personal data.
	MaxRead = 2 * MaxText
	// maxDecoded bounds what is decoded, in bytes of JSON: as many characters as pairs of escapes.
	maxDecoded = MaxRead * maxEscape
	// maxDatum is the length of personal data in a text, in characters. Few e-mail addresses are longer.
	maxDatum = 40
	// maxEscape is the longest escape of a character in JSON, such as \ud83d\ude00.
	maxEscape = 12
)

// Text returns the first characters, up to a limit, of a text that other people wrote, given as a JSON value. Each
// that a reader would not see, or that would change how others are seen, is replaced by its number.
func Text(raw []byte, personal bool, limit int) string {
	text, cut := beginning(raw)
	characters := []rune(withoutSecrets(text))
	if !personal {
		characters, cut = withoutPersonal(characters, cut)
	}
	var b strings.Builder
	for i, r := range characters {
		if i == limit {
			cut = true
			break
		}
		if isInvisible(r) {
			fmt.Fprintf(&b, `\u{%x}`, r)
		} else {
			b.WriteRune(r)
		}
	}
	if cut {
		b.WriteString("…")
	}
	return b.String()
}

// withoutSecrets removes user, query and fragment of the URLs in a text. Those of webhooks often have a secret there.
func withoutSecrets(text string) string {
	if !strings.Contains(text, ":/") && !strings.Contains(text, `:\`) {
		return text
	}
	return locator.ReplaceAllString(text, "$1$3")
}

// locator matches a URL as its scheme, its user, its host and path, and the rest. It may have escapes of JSON: an error
// can quote a response. Libraries accept any number of slashes, and backslashes in place of them.
var locator = regexp.MustCompile(`([A-Za-z][0-9A-Za-z+.-]*:(?:[\\/]{2,}|/))([^\s"<>\\/?#]*@)?((?:[^\s"<>\\?#]|\\+[^\s"<>\\?#])*)([?#](?:[^\s"<>\\]|\\+[^\s"<>\\])*)?`)

// withoutPersonal hides personal data in the beginning of a text. Matching takes up to two microseconds for each
// character. So it reads twice what is shown, and leaves out the end, which may be a part of what would be hidden.
func withoutPersonal(text []rune, cut bool) ([]rune, bool) {
	if cut = cut || len(text) > MaxRead; cut {
		text = text[:min(len(text), MaxRead)]
	}
	if read := strings.Map(narrow, string(text)); strings.ContainsAny(read, "@0123456789") { // all that is hidden has one
		if shown := hide(pixCode.ReplaceAllString(read, "[hidden]")); shown != read {
			text = []rune(shown)
		}
	}
	if cut {
		text = text[:max(0, len(text)-maxDatum)]
	}
	return text, cut
}

// narrow returns the ASCII character that a reader takes a full-width one or a digit of another script for.
func narrow(r rune) rune {
	switch {
	case r >= '\uff01' && r <= '\uff5e':
		return r - '\uff01' + '!'
	case r > unicode.MaxASCII && unicode.IsDigit(r):
		zero := r
		for unicode.IsDigit(zero - 1) { // digits are in blocks of ten, at most five one after another
			zero--
		}
		return '0' + (r-zero)%10
	}
	return r
}

// beginning decodes the beginning of a JSON string, or that of another JSON value, which keeps its syntax.
func beginning(raw []byte) (text string, cut bool) {
	if cut = len(raw) > maxDecoded; cut {
		raw = raw[:maxDecoded]
	}
	for end := len(raw); raw[0] == '"' && end > max(0, len(raw)-maxEscape); end-- {
		quoted := raw[:end]
		if cut {
			quoted = slices.Concat(quoted, []byte(`"`))
		}
		if text, err := jx.DecodeBytes(quoted).Str(); err == nil {
			return text, cut
		}
	}
	return strings.ToValidUTF8(escapes.ReplaceAllStringFunc(string(raw), unescape), ""), cut // not a string, or not text
}

// escapes matches the escapes of JSON. Those of quotes and backslashes are part of the syntax.
var escapes = regexp.MustCompile(`(\\u[0-9a-fA-F]{4}|\\[bfnrt/])+|\\.`)

func unescape(escape string) string {
	if escape == `\"` || escape == `\\` {
		return escape
	}
	text, _ := jx.DecodeStr(`"` + escape + `"`).Str()
	return text
}

// isInvisible reports whether a reader does not see a character: controls, bidirectional and other formats, spaces
// but one, unassigned and private characters, variation selectors, fillers.
func isInvisible(r rune) bool {
	const brailleBlank = 0x2800
	return !unicode.IsPrint(r) || r == brailleBlank || unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// pixCode matches a Pix code, in which a key has digits before and after it, and may have those of the end too.
var pixCode = regexp.MustCompile(`(?s)000201\d{4}(.*6304[0-9a-fA-F]{4}|.*)`)

// gap is between the groups of a number, as people write it or as a form encodes it.
const gap = `(` + separator + `|%20|%2[fF]){0,3}`

// separator is a character of a gap; end is that of a line, or invisible.
const (
	separator = `[\s\x{85}\p{Z}\p{Pd}\p{Cf}+.,/_` + dots + `]`
	end       = `[\r\n\x{85}\p{Zl}\p{Zp}\p{Cf}]{0,3}`
	dots      = `·•‧∙⋅・` // in the middle
)

// local is a phone number in its area.
const local = gap + `((9` + gap + `)?\d{4}` + gap + `\d{4}|9\d{2}` + gap + `\d{3}` + gap + `\d{3})(\b|_)`

// hidden matches what has the form of an e-mail address, a CPF, a CNPJ or a phone number, as pix.ParseKey reads them,
// and UUIDs, which stay. The name of a number can precede it.
var hidden = regexp.MustCompile(`\b[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b` +
	`|[\p{L}\p{N}._%+-]+` + end + `(@|%40)` + end + `[\p{L}\p{N}-]+(` + end + `[.,_` + dots + `]` + end + `[\p{L}\p{N}-]+)+` +
	`|(\+?\b55` + gap + `)?\(0?\d{2}\)` + local +
	`|(\+|\b|_)((55|0)` + gap + `)?\d{2}` + local +
	`|(\b|[\pL_])\d{3}` + gap + `\d{3}` + gap + `\d{3}` + gap + `\d{2}(\b|_)` +
	`|(\b|[\pL_])[0-9A-Za-z]{2}` + gap + `[0-9A-Za-z]{3}` + gap + `[0-9A-Za-z]{3}` + gap + `[0-9A-Za-z]{4}` + gap + `\d{2}(\b|_)` +
	`|[\pL_]\+?(\d{11,14}|(55` + gap + `)?\d{2}` + gap + `(9` + gap + `)?\d{4}[ \p{Pd}]\d{4})(\b|_)` +
	`|(\b|[\pL_])(\d{3}\.\d{3}\.\d{3}|\d{2}\.\d{3}\.\d{3}/\d{4})-\d{2}` + // as it is written, also before a letter
	`|\+(\d{8,15}|\d([\p{Zs}\p{Pd}\p{Cf}./()]{0,5}\d){7,12})(\b|_)`) // of any country

var (
	// decimal matches a number with a fraction, such as an amount or a coordinate. It can have the digits of a key.
	decimal = regexp.MustCompile(`^\d+\.\d+$`)
	word    = regexp.MustCompile(`^[^\pL\pN]*[\pL\pN]+`)

	separators = regexp.MustCompile(separator + `+`)
)

// unescaped has the escapes of gaps as the characters that they are.
var unescaped = strings.NewReplacer("%20", " ", "%2f", "/", "%2F", "/")

// hide replaces what is hidden. A key may begin with the underscore that ends the one before it, or within a match that
// stays.
func hide(text string) string {
	var b strings.Builder
	for at := hidden.FindStringIndex(text); at != nil; at = hidden.FindStringIndex(text) {
		match := strings.TrimRight(text[at[0]:at[1]], "_")
		code := unescaped.Replace(strings.TrimLeft(match, "_"))
		number := strings.TrimLeftFunc(match, func(r rune) bool { return !unicode.IsDigit(r) })
		shown := "[hidden]"
		switch {
		case pix.ValidUUID(match) || net.ParseIP(match) != nil || decimal.MatchString(match):
			shown = match
		case strings.ContainsAny(code, "@%") || !strings.ContainsFunc(code, unicode.IsLetter) || isKey(code):
		case isKey(unescaped.Replace(number)):
			shown = strings.TrimSuffix(match, number) + shown
		default:
			match = word.FindString(match)
			shown = match
		}
		b.WriteString(text[:at[0]])
		b.WriteString(shown)
		text = text[at[0]+len(match):]
	}
	return b.String() + text
}

// isKey reports whether a text is a key, as it is or without what separates its groups.
func isKey(text string) bool {
	return pix.ParseKey(text).Normal != "" || pix.ParseKey(separators.ReplaceAllString(text, "")).Normal != ""
}
