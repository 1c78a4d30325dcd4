package http1

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"

	"pixgraph/internal/buffer"
	"pixgraph/internal/quota"
)

var (
	// ErrTooLarge says that a body is over the cap.
	ErrTooLarge = errors.New("the body is over the size cap")
	// ErrCoding says that a body has a content coding other than gzip.
	ErrCoding = errors.New("the body has a content coding that was not asked for")
	// ErrGzip says that a body is whole as HTTP goes, and is not the gzip that its header says.
	ErrGzip = errors.New("the body is not the gzip that its header says")
)

// readBody reads the body of an answer whole.
func (h *Host) readBody(resp *http.Response, request *Request, answer *Answer) (err error) {
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
		in, _ := h.inflaters.Get().(*inflater)
		if in == nil {
			in = &inflater{buffer: bufio.NewReader(nil)}
		}
		answer.Body, err = in.inflate(resp, request)
		answer.Encoded = in.read
		in.from, in.gzip.Header = nil, gzip.Header{} // or the pool would keep what the connection and the answer hold
		h.inflaters.Put(in)
		return err
	default:
		return ErrCoding
	}
}

// inflater reads gzip. It has 40 KiB of windows and tables, so it is used again, from a pool:
//
//   - Key: none. An inflater is reset before it reads, and holds nothing of an answer but the window that was read through it.
//   - Bound: 48 KiB each, and as many as bodies are inflated at the same time, which package upstream bounds by the number of
//     exchanges under way.
//   - Filled by: answers in gzip.
//   - Emptied by: the garbage collector, in two cycles without use.
type inflater struct {
	from   io.Reader
	read   int   // bytes of from
	failed error // of from, io.EOF at its end
	buffer *bufio.Reader
	gzip   gzip.Reader
}

// inflate reads the body of an answer. What is wrong with the connection wins over what is wrong with the gzip that came
// over it. A body that ends with its connection may be cut short wherever its gzip is: the two cannot be told apart.
func (in *inflater) inflate(resp *http.Response, request *Request) ([]byte, error) {
	in.from, in.read, in.failed = resp.Body, 0, nil
	in.buffer.Reset(in)
	err := in.gzip.Reset(in.buffer)
	if errors.Is(err, io.EOF) {
		return nil, nil // no body, and so no gzip either
	}
	var body []byte
	if err == nil {
		body, err = readAll(&in.gzip, -1, request)
	}
	framed := resp.ContentLength >= 0 || len(resp.TransferEncoding) > 0
	var corrupt flate.CorruptInputError
	switch {
	case err != nil && in.failed != nil && !errors.Is(in.failed, io.EOF):
		return nil, in.failed
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, &corrupt), framed && errors.Is(err, io.ErrUnexpectedEOF):
		return nil, ErrGzip
	default: // a bound on what may be read among them
		return body, err
	}
}

// Read reads what is to be inflated. It is for the inflater's own buffer.
func (in *inflater) Read(p []byte) (int, error) {
	n, err := in.from.Read(p)
	in.read += n
	in.failed = err
	return n, err
}

// readAll reads a body of that length, or of an unknown one at -1. Its memory is taken from the request's account before it
// is allocated.
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
	if err == io.EOF { //nolint:errorlint // what a Reader returns at its end
		return body, nil
	}
	discard(body, request.Account)
	return nil, err
}

// grow moves a body into a buffer with more room. The body is as it was where there is an error.
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

// capacity is what to have ready for a body. A promise of its header costs the sender nothing, and the next answer need
// not be like the last one, so a big one is not believed before the bytes come.
func capacity(length, usual int64) int64 {
	const least = 8<<10 - 1
	if length < 0 {
		length = max(usual+usual/8, least)
	}
	return min(length, buffer.Most-1) + 1 // the last read needs room to see the end
}
