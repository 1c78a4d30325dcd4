package transport

import (
	"bytes"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"

	"pixgraph/serve/accept"
)

// gzipLevel is the fastest level. It already compresses a list of records with random ids to a quarter; a higher level
// takes more CPU time than the saved bytes are worth.
const gzipLevel = gzip.BestSpeed

// compressFrom is the smallest response, in bytes, that is compressed: a response that fits a network packet of 1,500
// bytes with its header does not arrive sooner if it is smaller.
const compressFrom = 1400

// gzipEncoding is the Content-Encoding of compressed responses.
var gzipEncoding = []string{"gzip"}

// compressor compresses whole responses with gzip. Zstandard is not used: some versions of Node's fetch offer it
// although they cannot decode it.
//
// Compression of secrets together with text that an attacker chose reveals the secrets by the size of the response
// (BREACH). That requires a victim's browser to send authenticated requests for the attacker. The gateway uses no
// cookies, and a page of another site does not have a token, so responses can be compressed.
type compressor struct {
	// gzip pools the writers, of 0.8 MB each. At most as many are in use as there are processors. The garbage collector
	// frees idle ones.
	gzip sync.Pool // of *gzip.Writer
}

// wants reports whether a body of the given size should be compressed, by Accept-Encoding (RFC 9110, section 12.5.3).
// Small bodies are compressed only if the header rejects identity. If it accepts no supported encoding, the body is not
// compressed.
func (c *compressor) wants(acceptEncoding []string, size int) bool {
	if len(acceptEncoding) == 0 {
		return false
	}
	identity, gzipped, others := -1, -1, -1
	for _, element := range accept.Read(new(accept.Few), acceptEncoding) {
		name, weight := element.Name, element.Weight
		switch {
		case strings.EqualFold(name, "gzip") || strings.EqualFold(name, "x-gzip"):
			gzipped = max(gzipped, weight)
		case strings.EqualFold(name, "identity"):
			identity = max(identity, weight)
		case name == "*":
			others = max(others, weight)
		}
	}
	if gzipped < 0 {
		gzipped = others
	}
	refused := identity == 0 || identity < 0 && others == 0
	return gzipped > 0 && (refused || size >= compressFrom && identity <= gzipped)
}

// compress appends the gzip form of the body's parts to a buffer.
func (c *compressor) compress(to *bytes.Buffer, body ...[]byte) {
	writer, ok := c.gzip.Get().(*gzip.Writer)
	if ok {
		writer.Reset(to)
	} else {
		writer, _ = gzip.NewWriterLevel(to, gzipLevel) // fails only for an invalid level
	}
	for _, part := range body {
		_, _ = writer.Write(part) // a write into memory
	}
	_ = writer.Close()
	writer.Reset(nil) // so that the pool does not retain the buffer
	c.gzip.Put(writer)
}
