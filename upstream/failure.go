package upstream

import (
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"syscall"

	"pixgraph/internal/quota"
	"pixgraph/upstream/http1"
)

var (
	errNotGzip     = errors.New("the body is not the gzip that its header says")
	errNoHost      = errors.New("the host name cannot be resolved")
	errCertificate = errors.New("the TLS certificate cannot be verified")
	errCutShort    = errors.New("the connection was closed before the answer was whole")
	errNoHTTP      = errors.New("no HTTP answer could be read")
)

// failure classes an exchange that gave no whole answer: its kind, and a cause that is fit for logs. The texts of
// packages net and net/http hold the address and what the server sent, so none of them is kept. The end of the context wins
// over the error that it caused.
func failure(ctx context.Context, err error) (Kind, error) {
	var (
		system      syscall.Errno
		deflate     flate.CorruptInputError
		host        *net.DNSError
		certificate *tls.CertificateVerificationError
		exceeded    *quota.Exceeded
	)
	switch {
	case errors.As(err, &exceeded):
		return KindOverloaded, exceeded
	case errors.Is(err, quota.ErrExhausted):
		return KindOverloaded, quota.ErrExhausted
	case errors.Is(ctx.Err(), context.Canceled):
		return KindCanceled, context.Canceled
	case ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return KindTimeout, context.DeadlineExceeded
	case errors.Is(err, http1.ErrTooLarge):
		return KindInvalidResponse, http1.ErrTooLarge
	case errors.Is(err, http1.ErrCoding):
		return KindInvalidResponse, http1.ErrCoding
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, &deflate):
		return KindInvalidResponse, errNotGzip
	case errors.As(err, &host):
		return KindUnavailable, errNoHost
	case errors.As(err, &certificate):
		return KindUnavailable, errCertificate
	case errors.As(err, &system):
		return KindUnavailable, system
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return KindUnavailable, errCutShort
	default:
		return KindUnavailable, errNoHTTP
	}
}
