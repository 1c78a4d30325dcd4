// Package netcause classes the errors of an HTTP exchange into a fixed list of causes that are fit for logs and reports.
//
// The texts of packages net, net/http and crypto/tls hold addresses, names of certificates and what the other side sent;
// nothing of them is kept. The package judges no status and no body, and knows no caller of it.
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

// The causes, besides context.Canceled, context.DeadlineExceeded and a syscall.Errno, whose texts are fixed too.
var (
	ErrNoHost      = errors.New("the host name cannot be resolved")
	ErrCertificate = errors.New("the TLS certificate cannot be verified")
	ErrNoTLS       = errors.New("the port does not speak TLS")
	ErrTLSAlert    = errors.New("the server ended the TLS connection with an alert")
	ErrCutShort    = errors.New("the connection was closed before the answer was whole")
	ErrNoHTTP      = errors.New("no HTTP answer could be read")
)

// Of returns the cause of an error that is not nil. It wraps nothing.
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
	case errors.As(err, &operation) && operation.Op == "remote error": // how crypto/tls reports an alert
		return ErrTLSAlert
	case errors.As(err, &timed) && timed.Timeout():
		return context.DeadlineExceeded
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return ErrCutShort
	default:
		return ErrNoHTTP
	}
}
