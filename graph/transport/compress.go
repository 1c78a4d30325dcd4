package transport

import (
	"bytes"
	"runtime"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// coding is a content coding of answers.
type coding int

const (
	codingIdentity coding = iota
	codingGzip
	codingZstd
)

// The windows of the encoders, which are most of their memory.
const (
	// gzipLevel is the fastest: a list of records with random ids shrinks to a quarter already, and a further level costs
	// more CPU than its bytes are worth on a network.
	gzipLevel = gzip.BestSpeed
	// zstdWindow holds a whole page of records. Browsers take up to 8 MiB.
	zstdWindow = 512 << 10
)

func zstdOptions() []zstd.EOption {
	return []zstd.EOption{
		zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(zstdWindow), zstd.WithLowerEncoderMem(true),
		zstd.WithEncoderConcurrency(runtime.GOMAXPROCS(0)), zstd.WithEncoderCRC(false),
	}
}

// compressor compresses whole answers.
//
// Compressing secrets beside text that an attacker chose tells the secrets by their size (BREACH), where the attacker can
// make a victim's browser send requests. Here a browser sends nothing by itself: there are no cookies, Guard refuses what
// a page of another site can send, and answers hold no token. So they are compressed.
type compressor struct {
	from int // bytes; negative for never
	zstd *zstd.Encoder
	gzip sync.Pool // of *gzip.Writer
}

// choose chooses the coding for a body of that size, by Accept-Encoding (RFC 9110, section 12.5.3). Small bodies stay as
// they are, unless that is refused. When nothing that we have is accepted they stay as they are too.
func (c *compressor) choose(acceptEncoding []string, size int) coding {
	if c.from < 0 || len(acceptEncoding) == 0 {
		return codingIdentity
	}
	identity, gzipped, zstandard, others := -1, -1, -1, -1
	ranges(acceptEncoding, func(name, _ string, weight int) {
		switch {
		case strings.EqualFold(name, "zstd"):
			zstandard = max(zstandard, weight)
		case strings.EqualFold(name, "gzip") || strings.EqualFold(name, "x-gzip"):
			gzipped = max(gzipped, weight)
		case strings.EqualFold(name, "identity"):
			identity = max(identity, weight)
		case name == "*":
			others = max(others, weight)
		}
	})
	if zstandard < 0 {
		zstandard = others
	}
	if gzipped < 0 {
		gzipped = others
	}
	refused := identity == 0 || identity < 0 && others == 0
	switch {
	case zstandard <= 0 && gzipped <= 0:
		return codingIdentity
	case !refused && (size < c.from || identity > max(zstandard, gzipped)):
		return codingIdentity
	case zstandard >= gzipped:
		return codingZstd
	default:
		return codingGzip
	}
}

// compress appends the body in that coding to a buffer, and returns the name for Content-Encoding.
func (c *compressor) compress(to *bytes.Buffer, coding coding, body []byte) (name string) {
	if coding == codingZstd {
		to.Grow(len(body)/4 + 64)
		compressed := c.zstd.EncodeAll(body, to.AvailableBuffer())
		to.Write(compressed) // onto itself, where it had room
		return "zstd"
	}
	writer, ok := c.gzip.Get().(*gzip.Writer)
	if ok {
		writer.Reset(to)
	} else {
		writer, _ = gzip.NewWriterLevel(to, gzipLevel) // the level is one that there is
	}
	_, _ = writer.Write(body) // into memory
	_ = writer.Close()
	c.gzip.Put(writer)
	return "gzip"
}
