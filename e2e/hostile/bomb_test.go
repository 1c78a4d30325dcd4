package hostile

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
)

// bomb is 64 MiB of JSON, compressed to a thousandth.
func bomb() string {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, _ = io.WriteString(zip, `{"query":"`)
	for range 64 {
		_, _ = io.WriteString(zip, strings.Repeat(" ", 1<<20))
	}
	_, _ = io.WriteString(zip, `{ deposits { totalCount } }"}`)
	_ = zip.Close()
	return packed.String()
}
