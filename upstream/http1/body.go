package http1

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"

	"pixgraph/internal/buffer"
	"pixgraph/internal/quota"
)

var (
	// ErrTooLarge reports a body above the size limit.
	ErrTooLarge = errors.New("the body is above the size limit")
	// ErrCoding reports a content coding other than gzip.
	ErrCoding = errors.New("the body has an unsupported content coding")
	// ErrGzip reports a body that is complete in HTTP's framing and is not valid gzip, although its header says gzip.
	ErrGzip = errors.New("the body is not valid gzip")
)

// Bodies reads the bodies of responses. The zero value is ready for use.
type Bodies struct {
	inflaters sync.Pool // of *inflater, see its comment
}

// Read reads the whole body of a response into an answer.
func (b *Bodies) Read(resp *http.Response, request *Request, answer *Answer) (err error) {
	codings := resp.Header["Content-Encoding"]
	switch {
	case len(codings) == 0, len(codings) == 1 && (codings[0] == "" || strings.EqualFold(codings[0], "identity")):
		if resp.ContentLength > request.MaxBody {
			return ErrTooLarge
		}
		answer.Body, err = readAll(resp.Body, resp.ContentLength, request)
		answer.Encoded = len(answer.Body)
		return err
	case len(codings) == 1 && strings.EqualFold(codings[0], "gzip"):
		in, _ := b.inflaters.Get().(*inflater)
		if in == nil {
			in = &inflater{buffer: bufio.NewReader(nil)}
		}
		answer.Body, err = in.inflate(resp, request)
		answer.Encoded = in.read
		in.from, in.gzip.Header = nil, gzip.Header{} // so that the pool does not keep memory of the connection and the response
		b.inflaters.Put(in)
		return err
	default:
		return ErrCoding
	}
}

// inflater decompresses gzip. It has 40 KiB of windows and tables, so it is reused from a pool:
//
//   - Key: none. An inflater is reset before it reads, and holds nothing of a response but its last window.
//   - Bound: 48 KiB each, and as many as bodies are decompressed at the same time, which package client bounds by the
//     number of exchanges in flight.
//   - Filled by: responses with gzip.
//   - Emptied by: the garbage collector, after two cycles without use.
type inflater struct {
	from   io.Reader
	read   int   // bytes of from
	failed error // the last error of from, io.EOF at its end
	buffer *bufio.Reader
	gzip   gzip.Reader
}

// inflate reads the body of a response. An error of the connection takes precedence over an error of the gzip data. If
// the body ends with the connection, invalid gzip may be a truncated body: the two cases cannot be distinguished.
func (in *inflater) inflate(resp *http.Response, request *Request) ([]byte, error) {
	in.from, in.read, in.failed = resp.Body, 0, nil
	in.buffer.Reset(in)
	err := in.gzip.Reset(in.buffer)
	if errors.Is(err, io.EOF) {
		return nil, nil // an empty body is not gzip
	}
	var body []byte
	if err == nil {
		body, err = readAll(&in.gzip, -1, request)
	}
	framed := resp.ContentLength >= 0 || len(resp.TransferEncoding) > 0 || resp.ProtoMajor > 1
	var corrupt flate.CorruptInputError
	switch {
	case err != nil && in.failed != nil && !errors.Is(in.failed, io.EOF):
		return nil, in.failed
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, &corrupt), framed && errors.Is(err, io.ErrUnexpectedEOF):
		return nil, ErrGzip
	default: // including an exceeded read limit
		return body, err
	}
}

// Read implements io.Reader for the inflater's own buffer: it reads the compressed data.
func (in *inflater) Read(p []byte) (int, error) {
	n, err := in.from.Read(p)
	in.read += n
	in.failed = err
	return n, err
}

// readAll reads a body of the given length, or of unknown length if that is -1. It takes memory from the request's
// account before it allocates it.
func readAll(from io.Reader, length int64, request *Request) ([]byte, error) {
	body, err := grow(nil, int(capacity(length, request.UsualBody)), request.Account)
	for err == nil {
		if len(body) == cap(body) {
			if body, err = grow(body, 2*cap(body), request.Account); err != nil {
				break
			}
		}
		var n int
		n, err = from.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if over := request.Account.Read(n); over != nil {
			err = over
		} else if int64(len(body)) > request.MaxBody {
			err = ErrTooLarge
		}
	}
	if err == io.EOF { //nolint:errorlint // a Reader returns io.EOF unwrapped
		return body, nil
	}
	discard(body, request.Account)
	return nil, err
}

// grow moves a body into a larger buffer. If it returns an error, the body is unchanged.
func grow(body []byte, room int, account *quota.Account) ([]byte, error) {
	grown := buffer.Size(room)
	if err := account.Take(grown); err != nil {
		return body, err
	}
	larger := append(buffer.Get(room), body...)
	discard(body, account)
	return larger, nil
}

func discard(body []byte, account *quota.Account) {
	account.Return(cap(body))
	buffer.Put(body)
}

// capacity returns the initial size of the buffer for a body. A large Content-Length costs the sender nothing, and the
// next response need not resemble the last one. So no more than the largest buffer is allocated before the bytes
// arrive.
func capacity(length, usual int64) int64 {
	const minimum = 8<<10 - 1
	if length < 0 {
		length = max(usual+usual/8, minimum)
	}
	return min(length, buffer.MaxSize-1) + 1 // the last read needs room to detect the end
}
