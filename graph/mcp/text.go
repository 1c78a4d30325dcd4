package mcp

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/go-faster/jx"

	"pixgraph/upstream/pix"
)

// errUntrusted reports an element of a list that is not what its type says.
var errUntrusted = errors.New("mcp: untrusted")

const (
	// maxText bounds a text that other people wrote, in characters.
	maxText = 200
	// maxRead bounds what is read of it, in bytes of JSON: 200 characters as escapes, and as much for what is hidden.
	maxRead = 4 << 10
)

// visible returns the beginning of a text that other people wrote, given as a JSON value. Each character that a reader
// would not see, or that would change how others are seen, is replaced by its number.
func visible(raw []byte, personal bool) string {
	text, cut := beginning(raw)
	if !personal {
		text = hidden.ReplaceAllStringFunc(text, hide)
	}
	var b strings.Builder
	count := 0
	for _, r := range text {
		if count++; count > maxText {
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

// beginning decodes the beginning of a JSON string, or returns that of another JSON value as it is.
func beginning(raw []byte) (text string, cut bool) {
	isString := raw[0] == '"'
	if cut = len(raw) > maxRead; cut {
		raw = raw[:maxRead]
	}
	for isString {
		quoted := raw
		if cut {
			quoted = slices.Concat(raw, []byte(`"`))
		}
		if text, err := jx.DecodeBytes(quoted).Str(); err == nil {
			return text, cut
		}
		raw, cut = raw[:len(raw)-1], true // the end is part of an escape, or of a character
	}
	return strings.ToValidUTF8(string(raw), ""), cut
}

// isInvisible reports whether a character is none that a reader sees: controls, bidirectional and other formats, spaces
// but one, unassigned and private characters, variation selectors, fillers.
func isInvisible(r rune) bool {
	const brailleBlank = 0x2800
	return !unicode.IsPrint(r) || r == brailleBlank || unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// hidden matches what has the form of an e-mail address, a CPF, a CNPJ or a phone number, and UUIDs, which stay.
var hidden = regexp.MustCompile(`\b[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b` +
	`|[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+` +
	`|\b\d{3}\.?\d{3}\.?\d{3}-?\d{2}\b` +
	`|\b[0-9A-Z]{2}\.?[0-9A-Z]{3}\.?[0-9A-Z]{3}/?[0-9A-Z]{4}-?\d{2}\b` + // a CNPJ may have letters
	`|(\+?\b55[ -]?)?(\(\d{2}\)|\b\d{2})[ -]?9?\d{4}[ -]?\d{4}\b`)

func hide(text string) string {
	isCode := !strings.Contains(text, "@") && strings.ContainsFunc(text, unicode.IsLetter) // unless it is a CNPJ
	if pix.ValidUUID(text) || isCode && pix.ParseKey(text).Normal == "" {
		return text
	}
	return "[hidden]"
}
