package hostile

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
)

// bomb is 64 MiB of JSON, compressed to a thousandth. It consists of gzip members of 1 MiB (RFC 1952), so that only one
// of them must be compressed.
func bomb() string {
	return member(`{"query":"`) + strings.Repeat(member(strings.Repeat(" ", 1<<20)), 64) + member(`{ deposits { totalCount } }"}`)
}

// member is a text as one member of a gzip file.
func member(text string) string {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, _ = io.WriteString(zip, text)
	_ = zip.Close()
	return packed.String()
}
