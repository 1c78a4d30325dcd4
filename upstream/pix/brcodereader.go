package pix

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// brCodeReader reads one text.
type brCodeReader struct {
	problems
	cut      cutter
	whole    string
	values   map[string]string // of the fields that are no templates, by their path: ids with dots, such as 26.01
	accounts []string          // the ids of the templates of Pix accounts
	further  []string          // the ids of Pix's unreserved templates, for recurring payments
	cash     bool              // whether the account says who hands out cash (Pix Saque): the payer chooses the amount, written as zero
	before   string            // the text before the CRC
	broken   []string          // the paths of the text and of templates that were not read to their end: what they lack is not known
}

// read reads a template or, with an empty path, the whole text: a sequence of ids, lengths and values.
func (r *brCodeReader) read(text, path string) {
	var seen [100]bool
	last := "" // the path of the value before
	for at := 0; at < len(text); {
		head := text[at:min(at+4, len(text))]
		if len(head) < 4 || !allDigits(head) {
			delete(r.values, last) // its length may be wrong, so the value may be only a part of a name or a key
			r.add(Malformed, path)
			r.broken = append(r.broken, path)
			return
		}
		where := head[:2]
		if path != "" {
			where = path + "." + where
		}
		id, length, from := number(head[:2]), number(head[2:]), at+len(head)
		if path == "" && wide(id, length, text[from:]) {
			r.add(WrongLength, where)
			length, from = length*10+number(text[from:from+1]), from+1
		}
		size, complete := r.cut(text[from:], length)
		at = from + size
		switch value := text[from:at]; {
		case !complete:
			delete(r.values, last) // as above
			r.add(WrongLength, where)
			r.broken = append(r.broken, path)
			return
		case value == "":
			r.add(WrongLength, where)
		case seen[id]:
			r.add(Duplicate, where)
			last = ""
		case template(id, path):
			r.read(value, where)
			last = ""
		default:
			r.value(where, value)
			last = where
		}
		seen[id] = true
		if where == "63" {
			r.before = text[:from]
			if at < len(text) {
				r.add(TrailingText, "")
			}
			return
		}
	}
}

// wide reports whether what follows the two digits of a field's length is a third one and an account of Pix, as some
// generators write more than 99 characters.
func wide(id, length int, s string) bool {
	const account = "0014" + pixGUI
	return length >= 10 && ofPix(id) && len(s) > len(account) && isDigit(s[0]) && strings.EqualFold(s[1:1+len(account)], account)
}

// template reports whether a field contains fields: the accounts, the additional data with its templates of payment
// systems, the names in another language, and the templates of other arrangements.
func template(id int, path string) bool {
	switch path {
	case "":
		return ofPix(id) || id == 62 || id == 64
	case "62":
		return id >= 50
	}
	return false
}

// ofPix reports whether a field of the text may be one of Pix: an account or an unreserved template.
func ofPix(id int) bool { return id >= 26 && id <= 51 || id >= 80 }

// value keeps the value of a field.
func (r *brCodeReader) value(where, value string) {
	r.values[where] = value
	if !printable(value) {
		r.add(Characters, where)
	}
	template, id, nested := strings.Cut(where, ".")
	switch {
	case !nested || id != "00" || !strings.EqualFold(value, pixGUI):
	case template < "52":
		r.accounts = append(r.accounts, template)
	case unreserved(template):
		r.further = append(r.further, template)
	}
}

// cutter returns the size of a value of a length at the beginning of s in bytes, and whether s has so much.
type cutter func(s string, length int) (size int, complete bool)

// cut returns the size of the first characters of s in bytes, and whether s has so many.
func cut(s string, characters int) (size int, complete bool) {
	for range characters {
		if size == len(s) {
			return size, false
		}
		_, width := utf8.DecodeRuneInString(s[size:])
		size += width
	}
	return size, true
}

// cutBytes is cut for a length in bytes. Behind one that ends within a character there is no digit: the text is
// malformed.
func cutBytes(s string, bytes int) (size int, complete bool) {
	size = min(bytes, len(s))
	return size, size == bytes
}

// complete reports whether the text and the template with a path were read to their end.
func (r *brCodeReader) complete(path string) bool {
	return !slices.Contains(r.broken, "") && !slices.Contains(r.broken, path)
}
