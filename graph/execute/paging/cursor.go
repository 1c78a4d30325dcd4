package paging

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"net/url"
)

// place is the position of a record in a list: its page, its index on the page, the size of the page, and how the API
// sizes its pages.
type place struct {
	page, index, size int
	sizing            sizing
}

// next returns the offset of the next record in the list, provided that all pages have the same size.
func (p place) next() int { return (p.page-1)*p.size + p.index + 1 }

// digest identifies a list and its filter. A cursor is valid only with the filter that it was created with.
type digest [8]byte

// digestOf hashes the request to the API: the list's name and its parameters in canonical order.
func digestOf(list string, filter url.Values) digest {
	sum := sha256.Sum256([]byte(list + "?" + filter.Encode()))
	return digest(sum[:8])
}

// cursor is a place in a filtered list, opaque to clients. It is encoded in unpadded base64url: one byte for the kind
// of sizing; page, index and size with four bytes each; the digest. The first byte of the index is the requested size.
// A cursor holds no secret and is not signed: a forged one can request nothing that the arguments could not.
type cursor struct {
	place  place
	filter digest
}

const (
	cursorLength = 1 + 3*4 + 8
	// maxPage bounds the page number in a cursor, so that offsets cannot overflow.
	maxPage   = 1 << indexBits
	indexBits = 24
)

// valid reports whether the place is possible. An API may claim a page size of 0 or huge numbers.
func (p place) valid() bool {
	return p.page >= 1 && p.page <= maxPage && p.size >= 1 && p.size <= maxPage && p.index >= 0 && p.index < p.size &&
		p.sizing.kind >= sizeRequested && p.sizing.kind <= sizeVaries &&
		p.sizing.requested >= 0 && p.sizing.requested <= MaxSize && (p.sizing.kind != sizeRequested || p.sizing.requested == 0)
}

var errNoPlace = errors.New("no cursor can be made from the API's page numbers")

// field returns the cursor as a field; nil for the nil of an empty page.
func (c *cursor) field() (any, error) {
	if c == nil {
		return nil, nil //nolint:nilnil // an empty page has no cursor, which is not an error
	}
	return c.encode()
}

func (c cursor) encode() (string, error) {
	if !c.place.valid() {
		return "", unsupported(errNoPlace)
	}
	b := make([]byte, 0, cursorLength)
	b = append(b, byte(c.place.sizing.kind))
	for _, n := range [...]int{c.place.page, c.place.sizing.requested<<indexBits | c.place.index, c.place.size} {
		b = binary.BigEndian.AppendUint32(b, uint32(n))
	}
	return base64.RawURLEncoding.EncodeToString(append(b, c.filter[:]...)), nil
}

// decodeCursor decodes a cursor. It returns false if the text is not one.
func decodeCursor(text string) (cursor, bool) {
	if len(text) != base64.RawURLEncoding.EncodedLen(cursorLength) {
		return cursor{}, false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) != cursorLength { // base64 ignores line breaks
		return cursor{}, false
	}
	number := func(i int) int { return int(binary.BigEndian.Uint32(b[1+4*i:])) }
	p := place{number(0), number(1) & (1<<indexBits - 1), number(2), sizing{sizingKind(b[0]), number(1) >> indexBits}}
	if !p.valid() {
		return cursor{}, false
	}
	return cursor{p, digest(b[1+3*4:])}, true
}
