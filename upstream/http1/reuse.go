package http1

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"
)

// OfConnection reports whether a status is about the connection, so that its GET may be repeated over a new one: a
// server that closes an idle connection sends 408 at the moment in which it is reused (RFC 9110, sections 15.5.9 and
// 15.5.20; RFC 8470, section 5.2).
func OfConnection(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusMisdirectedRequest || status == http.StatusTooEarly
}

// unambiguous reports whether both sides agree where the body of the response ends, so that the connection can be
// reused after the body is read. The body has not been read yet.
func (c *conn) unambiguous(resp *http.Response) bool {
	if resp.Close || !resp.ProtoAtLeast(1, 1) || resp.StatusCode < 200 || OfConnection(resp.StatusCode) {
		return false
	}
	if resp.StatusCode == http.StatusNoContent || resp.StatusCode == http.StatusNotModified {
		// A body after these statuses would be read as the next response.
		return len(resp.TransferEncoding) == 0 && resp.Header["Content-Length"] == nil
	}
	return len(resp.TransferEncoding) == 0 || !c.mayHaveLength()
}

// mayHaveLength reports whether the header has a Content-Length, or whether that is unknown. The standard library
// removes a Content-Length next to a Transfer-Encoding without any trace, and responses are smuggled with that
// combination (RFC 9112, 6.1). So the bytes of the header are searched while they are still in the reader's memory.
func (c *conn) mayHaveLength() bool {
	header := len(c.head) - c.reader.Buffered()
	if c.reads != 1 || header < 0 {
		return true
	}
	return bytes.Contains(bytes.ToLower(c.head[:header]), []byte("content-length"))
}

// A body that is not used is read so that its connection can be reused, but only as long as that costs less than a new
// connection.
const (
	maxDrain  = 16 << 10
	DrainTime = 100 * time.Millisecond // the caller of Drain ends it after this time
)

// Drain reads the body of a response that is not used, and reports whether it reached its end.
func Drain(resp *http.Response) bool {
	if resp.Body == http.NoBody {
		return true
	}
	if resp.ContentLength > maxDrain || resp.StatusCode == http.StatusSwitchingProtocols { // another protocol has no end
		return false
	}
	n, err := io.Copy(io.Discard, io.LimitReader(resp.Body, maxDrain+1))
	return err == nil && n <= maxDrain
}

// drain calls Drain with a deadline.
func (c *conn) drain(ctx context.Context, resp *http.Response, deadline time.Time) bool {
	if enough := time.Now().Add(DrainTime); resp.Body != http.NoBody && enough.Before(deadline) {
		if c.socket.SetDeadline(enough) != nil || ctx.Err() != nil { // an abort may have set a deadline before the line above
			return false
		}
	}
	return Drain(resp)
}
