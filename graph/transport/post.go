package transport

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"sync"

	"pixgraph/internal/quota"
)

// readPost reads the members of a POST request with a body of at most maxBody bytes. The account is charged for its memory
// as the bytes arrive.
func readPost(r *http.Request, maxBody int64, account *quota.Account) (members, error) {
	if !isJSON(r.Header["Content-Type"]) {
		return members{}, errContentType
	}
	for _, encoding := range r.Header["Content-Encoding"] {
		if encoding != "" && !strings.EqualFold(encoding, "identity") {
			return members{}, errEncoding
		}
	}
	if r.ContentLength > maxBody {
		return members{}, tooLarge(maxBody)
	}
	buffer := bodies.Get().(*bytes.Buffer)
	defer func() {
		if buffer.Cap() <= maxKeptBody {
			buffer.Reset()
			bodies.Put(buffer)
		}
	}()
	// One byte above the limit is read: if it arrives, the body is too large, and the rest is not read.
	_, err := buffer.ReadFrom(&accounted{io.LimitedReader{R: r.Body, N: maxBody + 1}, account})
	if err == nil {
		err = account.Received()
	}
	var outer *http.MaxBytesError
	switch {
	case buffer.Len() > int(maxBody):
		return members{}, tooLarge(maxBody)
	case errors.As(err, &outer):
		return members{}, tooLarge(outer.Limit)
	case errors.Is(err, quota.ErrExhausted):
		return members{}, errNoMemory
	case errors.Is(err, os.ErrDeadlineExceeded):
		return members{}, errTimeout
	case err != nil:
		return members{}, errBody
	case buffer.Len() == 0:
		return members{}, errEmpty
	}
	return parseBody(buffer.Bytes())
}

// accounted reads the body of a request and charges an account for its memory.
type accounted struct {
	body    io.LimitedReader
	account *quota.Account
}

// Read implements io.Reader.
func (a *accounted) Read(p []byte) (int, error) {
	n, err := a.body.Read(p)
	if out := a.account.Receive(n); out != nil {
		return n, out
	}
	return n, err
}

// isJSON reports whether a Content-Type is application/json in UTF-8, which is the default. Parameters other than
// charset are ignored (RFC 8259, section 11).
func isJSON(values []string) bool {
	if len(values) != 1 {
		return false
	}
	if values[0] == "application/json" {
		return true
	}
	media, parameters, err := mime.ParseMediaType(values[0])
	if err != nil || media != "application/json" {
		return false
	}
	charset, given := parameters["charset"]
	return !given || strings.EqualFold(charset, "utf-8")
}

// maxKeptBody is the largest capacity, in bytes, of a body buffer that is pooled. Most operations are smaller.
const maxKeptBody = 64 << 10

// bodies is a pool of buffers for bodies, of at most maxKeptBody bytes each. Parsed values are copies. The garbage
// collector frees unused buffers.
var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}
