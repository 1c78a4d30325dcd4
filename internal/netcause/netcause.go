// Package netcause maps errors of HTTP exchanges to a fixed list of causes that are safe for logs and reports.
//
// The error texts of packages net, net/http and crypto/tls contain addresses, names of certificates and data from the
// other side; none of that is kept. The package does not interpret a status or a body, and does not know its callers.
//
// Read Of first.
package netcause

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
)

// The causes. Of also returns context.Canceled, context.DeadlineExceeded and a syscall.Errno, whose texts are fixed too.
var (
	ErrNoHost      = errors.New("the host name cannot be resolved")
	ErrCertificate = errors.New("the TLS certificate cannot be verified")
	ErrNoTLS       = errors.New("the port does not speak TLS")
	ErrTLSAlert    = errors.New("the server closed the TLS connection with an alert")
	ErrTruncated   = errors.New("the connection was closed before the response was complete")
	ErrNoHTTP      = errors.New("no valid HTTP response")
)

// Of returns the cause of a non-nil error. The cause wraps nothing.
func Of(err error) error {
	var (
		system      syscall.Errno
		host        *net.DNSError
		certificate *tls.CertificateVerificationError
		record      tls.RecordHeaderError
		operation   *net.OpError
		timed       net.Error
	)
	switch {
	case errors.Is(err, context.Canceled):
		return context.Canceled
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return context.DeadlineExceeded
	case errors.As(err, &host):
		return ErrNoHost
	case errors.As(err, &certificate):
		return ErrCertificate
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return ErrNoTLS
	case errors.As(err, &system):
		return system
	case errors.As(err, &operation) && operation.Op == "remote error": // an alert, as crypto/tls reports it
		return ErrTLSAlert
	case errors.As(err, &timed) && timed.Timeout():
		return context.DeadlineExceeded
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return ErrTruncated
	default:
		return ErrNoHTTP
	}
}
