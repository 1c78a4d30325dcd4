package message

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/graph/apierror"
	"pixgraph/internal/buffer"
	"pixgraph/internal/quota"
	"pixgraph/request"
	"pixgraph/serve/accept"
)

// Turns takes turns to parse a number of bytes.
type Turns interface {
	Turn(ctx context.Context, call *request.Call, bytes int) *quota.Turn
}

// ReadPost reads the parameters of a POST request with a body of at most maxBody bytes. The account of the call is
// charged for its memory as the bytes arrive.
func ReadPost(ctx context.Context, call *request.Call, r *http.Request, maxBody int64, turns Turns) (*graphql.RawParams, error) {
	return readPost(ctx, call, r, maxBody, turns, Parse)
}

// ReadObject reads the JSON object in the body of a POST request in another protocol, as ReadPost does, of at most
// limit values. Its numbers are of type json.Number.
func ReadObject(
	ctx context.Context, call *request.Call, r *http.Request, maxBody int64, limit int, turns Turns,
) (map[string]any, error) {
	return readPost(ctx, call, r, maxBody, turns, func(body []byte) (map[string]any, error) { return parseObject(body, limit) })
}

func readPost[T any](
	ctx context.Context, call *request.Call, r *http.Request, maxBody int64, turns Turns, parse func([]byte) (T, error),
) (none T, _ error) {
	if !isJSON(r.Header["Content-Type"]) {
		return none, errContentType
	}
	for _, encoding := range r.Header["Content-Encoding"] {
		if encoding != "" && !strings.EqualFold(encoding, "identity") {
			return none, errEncoding
		}
	}
	if r.ContentLength > maxBody {
		return none, tooLarge(maxBody)
	}
	buffer := Buffers.Get()
	defer Buffers.Put(buffer)
	// One byte above the limit is read: if it arrives, the body is too large, and the rest is not read.
	_, err := buffer.ReadFrom(NewReader(r.Body, maxBody+1, call.Account))
	if err == nil {
		err = call.Account.Received()
	}
	switch {
	case buffer.Len() > int(maxBody):
		return none, tooLarge(maxBody)
	case err != nil:
		return none, refusedBody(err)
	case buffer.Len() == 0:
		return none, ErrEmpty
	}
	defer turns.Turn(ctx, call, buffer.Len()).End()
	return parse(buffer.Bytes())
}

// refusedBody returns the error for a body that cannot be read.
func refusedBody(err error) error {
	var outer *http.MaxBytesError
	switch {
	case errors.As(err, &outer):
		return tooLarge(outer.Limit)
	case errors.Is(err, quota.ErrExhausted):
		return apierror.NoMemory
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errTimeout
	}
	return errBody
}

// NewReader returns a reader of at most limit bytes of a body or a message, which charges an account for their memory.
func NewReader(body io.Reader, limit int64, account *quota.Account) io.Reader {
	return &accounted{io.LimitedReader{R: body, N: limit}, account}
}

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

// isJSON reports whether a Content-Type is application/json in UTF-8, which is the default.
// Parameters other than charset are ignored (RFC 8259, section 11).
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
	return !given || accept.IsUTF8(charset)
}

// Buffers are for bodies; most operations are smaller than maxScratch. Parsed values are copies.
var Buffers = buffer.NewPool(maxScratch)

const maxScratch = 64 << 10
