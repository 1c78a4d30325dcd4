package mcp

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
	// maxText bounds a text that other people wrote, in characters.
	maxText = 200
	// maxRead bounds what is decoded of it, in bytes of JSON: twice as many characters as pairs of escapes.
	maxRead = 2 * maxText * maxEscape
	// maxDatum is the length of personal data in a text, in characters. Few e-mail addresses are longer.
	maxDatum = 40
	// maxEscape is the longest escape of a character in JSON, such as \ud83d\ude00.
	maxEscape = 12
)

// visible returns the first characters, up to a limit, of a text that other people wrote, given as a JSON value. Each
// that a reader would not see, or that would change how others are seen, is replaced by its number.
func visible(raw []byte, personal bool, limit int) string {
	text, cut := beginning(raw)
	characters := []rune(text)
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

// withoutPersonal hides personal data in the beginning of a text. Matching takes up to two microseconds for each
// character. So it reads twice what is shown, and leaves out the end, which may be a part of what would be hidden.
func withoutPersonal(text []rune, cut bool) ([]rune, bool) {
	if cut = cut || len(text) > 2*maxText; cut {
		text = text[:min(len(text), 2*maxText)]
	}
	if read := string(text); strings.ContainsAny(read, "@0123456789") { // all that is hidden has one
		read = pixCode.ReplaceAllString(read, "[hidden]")
		shown := hidden.ReplaceAllStringFunc(read, hide)
		if shown != read { // a number may begin with the underscore that ends the one before it
			shown = hidden.ReplaceAllStringFunc(shown, hide)
		}
		text = []rune(shown)
	}
	if cut {
		text = text[:max(0, len(text)-maxDatum)]
	}
	return text, cut
}

// beginning decodes the beginning of a JSON string, or that of another JSON value, which keeps its syntax.
func beginning(raw []byte) (text string, cut bool) {
	if cut = len(raw) > maxRead; cut {
		raw = raw[:maxRead]
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

// separator is between the groups of a number, as people write it or as a form encodes it.
const separator = `([\p{Zs}\p{Pd}+]|%20)?`

// hidden matches what has the form of an e-mail address, a CPF, a CNPJ or a phone number, as pix.ParseKey reads them,
// and UUIDs, which stay. The name of a number can precede it.
var hidden = regexp.MustCompile(`\b[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b` +
	`|[\p{L}\p{N}._%+-]+(@|%40)[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+` +
	`|(\b|[\pL_])(\d{3}[.\p{Zs}]?\d{3}[.\p{Zs}]?\d{3}` + separator + `|(\d{3}\.){3}|(\d{3}\.){2}\d{3}/|(\d{3}\p{Pd}){3})\d{2}(\b|_)` +
	`|(\b|[\pL_])[0-9A-Za-z]{2}\.?[0-9A-Za-z]{3}\.?[0-9A-Za-z]{3}([/.\p{Pd}]|%2[fF])?[0-9A-Za-z]{4}\p{Pd}?\d{2}(\b|_)` + // a CNPJ may have letters
	`|\b\d{2}\p{Zs}\d{3}\p{Zs}\d{3}\p{Zs}\d{4}[\p{Zs}\p{Pd}]\d{2}\b` +
	`|\+(\d{8,15}|\d{1,3}([.\p{Zs}\p{Pd}]\d{2,4}){3,5})\b` + // of any country
	`|[\pL_]\+?(\d{11,14}|(55` + separator + `)?\d{2}` + separator + `(9` + separator + `)?\d{4}[ \p{Pd}]\d{4})(\b|_)` +
	`|(\+?\b55` + separator + `)?\(0?\d{2}\)` + separator + `(9` + separator + `)?\d{4}` + separator + `\d{4}\b` +
	`|\b0?\d{2}\.9?\d{4}[.\p{Pd}]\d{4}\b` +
	`|\+?\b(55` + separator + `|0)?\d{2}` + separator + `(9` + separator + `)?\d{4}` + separator + `\d{4}\b`)

func hide(text string) string {
	code := strings.Trim(text, "_")
	number := strings.TrimLeftFunc(code, func(r rune) bool { return !unicode.IsDigit(r) })
	isCode := !strings.ContainsAny(text, "@%") && strings.ContainsFunc(text, unicode.IsLetter) || net.ParseIP(text) != nil
	// A code may also be a key, or end with one.
	if pix.ValidUUID(text) || isCode && pix.ParseKey(code).Normal == "" && pix.ParseKey(number).Normal == "" {
		return text
	}
	return "[hidden]"
}
