package transport

import (
	"bytes"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// gzipLevel is the fastest: a list of records with random ids shrinks to a quarter already, and a further level costs more
// CPU than its bytes are worth on a network.
const gzipLevel = gzip.BestSpeed

// gzipEncoding is the Content-Encoding of compressed answers.
var gzipEncoding = []string{"gzip"}

// compressor compresses whole answers with gzip, which every client reads that says so. Of zstd that is not true: Node's
// fetch libraries offer it on versions that cannot decode it.
//
// Compressing secrets beside text that an attacker chose tells the secrets by their size (BREACH), where the attacker can
// make a victim's browser send requests. Here a browser sends nothing that is answered with data: there are no cookies, and a
// page of another site has no token. So answers are compressed.
type compressor struct {
	from int // bytes; negative for never
	// gzip has the writers, of 0.8 MB each: as many as compress at the same time, which is as many as there are
	// processors. Idle ones are collected.
	gzip sync.Pool // of *gzip.Writer
}

// wants reports whether a body of that size is to be compressed, by Accept-Encoding (RFC 9110, section 12.5.3). Small bodies
// stay as they are, unless that is refused. When nothing that we have is accepted they stay as they are too.
func (c *compressor) wants(acceptEncoding []string, size int) bool {
	if c.from < 0 || len(acceptEncoding) == 0 {
		return false
	}
	identity, gzipped, others := -1, -1, -1
	ranges(acceptEncoding, func(name, _ string, weight int) {
		switch {
		case strings.EqualFold(name, "gzip") || strings.EqualFold(name, "x-gzip"):
			gzipped = max(gzipped, weight)
		case strings.EqualFold(name, "identity"):
			identity = max(identity, weight)
		case name == "*":
			others = max(others, weight)
		}
	})
	if gzipped < 0 {
		gzipped = others
	}
	refused := identity == 0 || identity < 0 && others == 0
	return gzipped > 0 && (refused || size >= c.from && identity <= gzipped)
}

// compress appends the parts of a body to a buffer, as one in gzip.
func (c *compressor) compress(to *bytes.Buffer, body ...[]byte) {
	writer, ok := c.gzip.Get().(*gzip.Writer)
	if ok {
		writer.Reset(to)
	} else {
		writer, _ = gzip.NewWriterLevel(to, gzipLevel) // the level is one that there is
	}
	for _, part := range body {
		_, _ = writer.Write(part) // into memory
	}
	_ = writer.Close()
	writer.Reset(nil) // or the pool would keep the buffer
	c.gzip.Put(writer)
}
