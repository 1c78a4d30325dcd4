package http1

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"
)

// unambiguous reports whether the connection can be used again once the body is read: both sides must be of one mind about
// where it ends. The body has not been touched yet.
func (c *conn) unambiguous(resp *http.Response) bool {
	if resp.Close || !resp.ProtoAtLeast(1, 1) || resp.StatusCode < 200 {
		return false
	}
	chunked := len(resp.TransferEncoding) > 0
	if resp.StatusCode == http.StatusNoContent || resp.StatusCode == http.StatusNotModified {
		return !chunked && resp.Header["Content-Length"] == nil // a body where none can be would be read as the next answer
	}
	return !chunked || !c.mayTellLength()
}

// mayTellLength reports whether the header has a Content-Length, or cannot be said to have none. Beside a
// Transfer-Encoding the standard library takes it away without a trace, and it is how answers are smuggled (RFC 9112,
// 6.1); a look at the bytes tells, while they are still in the reader's memory.
func (c *conn) mayTellLength() bool {
	header := len(c.head) - c.reader.Buffered()
	if c.reads != 1 || header < 0 {
		return true
	}
	return bytes.Contains(bytes.ToLower(c.head[:header]), []byte("content-length"))
}

// An unwanted body is read so that its connection can be used again, but not beyond what a new connection costs.
const (
	maxDrain  = 16 << 10
	drainTime = 100 * time.Millisecond
)

// drain reads an unwanted body, and reports whether it came to its end.
func (c *conn) drain(ctx context.Context, resp *http.Response, deadline time.Time) bool {
	if resp.Body == http.NoBody {
		return true
	}
	if resp.ContentLength > maxDrain {
		return false
	}
	if enough := time.Now().Add(drainTime); enough.Before(deadline) {
		if c.socket.SetDeadline(enough) != nil || ctx.Err() != nil { // which may have broken off before the line above
			return false
		}
	}
	n, err := io.Copy(io.Discard, io.LimitReader(resp.Body, maxDrain+1))
	return err == nil && n <= maxDrain
}
