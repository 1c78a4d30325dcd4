package http1

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"
)

var (
	// ErrTooLarge says that a body is over the cap.
	ErrTooLarge = errors.New("the body is over the size cap")
	// ErrCoding says that a body has a coding that was not asked for.
	ErrCoding = errors.New("the body has a content coding that was not asked for")
)

// readBody reads a body whole, most bytes of it at most after decompression. Where its header tells no length, it is
// expected to have the usual one.
func (h *Host) readBody(resp *http.Response, most, usual int64) ([]byte, error) {
	codings := resp.Header["Content-Encoding"]
	switch {
	case len(codings) == 0, len(codings) == 1 && (codings[0] == "" || strings.EqualFold(codings[0], "identity")):
		if resp.ContentLength > most {
			return nil, ErrTooLarge
		}
		return readAll(resp.Body, resp.ContentLength, most, usual)
	case len(codings) == 1 && strings.EqualFold(codings[0], "gzip"):
		return h.inflate(resp.Body, most, usual)
	default:
		return nil, ErrCoding
	}
}

// inflater reads gzip. It has 40 KiB of windows and tables, so it is used again.
type inflater struct {
	compressed *bufio.Reader
	plain      gzip.Reader
}

func (h *Host) inflate(body io.Reader, most, usual int64) ([]byte, error) {
	in, _ := h.inflaters.Get().(*inflater)
	if in == nil {
		in = &inflater{compressed: bufio.NewReader(nil)}
	}
	defer func() {
		in.compressed.Reset(nil) // which is another caller's connection by and by
		h.inflaters.Put(in)
	}()
	in.compressed.Reset(body)
	if err := in.plain.Reset(in.compressed); err == io.EOF {
		return nil, nil // no body, and so no gzip either
	} else if err != nil {
		return nil, err
	}
	return readAll(&in.plain, -1, most, usual)
}

func readAll(from io.Reader, length, most, usual int64) ([]byte, error) {
	body := make([]byte, 0, capacity(length, usual))
	for {
		if len(body) == cap(body) {
			body = append(body, 0)[:len(body)]
		}
		n, err := from.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case int64(len(body)) > most:
			return nil, ErrTooLarge
		case err == io.EOF:
			return body, nil
		case err != nil:
			return nil, err
		}
	}
}

// capacity is what to allocate for a body. A promise of its header costs the sender nothing, and the next answer need not
// be like the last one, so a big one is not believed before the bytes come.
func capacity(length, usual int64) int64 {
	const least, most = 8 << 10, 1 << 20
	if length < 0 {
		length = max(usual+usual/8, least)
	}
	return min(length, most) + 1 // the last read needs room to see the end
}
