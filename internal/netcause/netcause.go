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
	"slices"
	"strings"
	"syscall"
)

// The causes. Of also returns context.Canceled, context.DeadlineExceeded and a syscall.Errno, whose texts are fixed
// too.
var (
	ErrNoHost      = errors.New("the host name cannot be resolved")
	ErrCertificate = errors.New("the TLS certificate cannot be verified")
	ErrNoTLS       = errors.New("the port does not speak TLS")
	ErrTLS         = errors.New("the TLS of the server is invalid, or needs renegotiation")
	ErrTLSVersion  = errors.New("the server speaks neither TLS 1.2 nor TLS 1.3")
	ErrTLSAlert    = errors.New("the server closed the TLS connection with an alert")
	ErrTruncated   = errors.New("the connection was closed before the response was complete")
	ErrNoHTTP      = errors.New("no valid HTTP response")

	ErrClientCertificate  = errors.New("the server requires a client certificate, or rejected it")
	ErrHTTP2Only          = errors.New("the server does not speak HTTP/1.1 over TLS")
	ErrNoProxy            = errors.New("the proxy cannot be reached")
	ErrProxyRefused       = errors.New("the proxy refused the connection")
	ErrProxyGateway       = errors.New("the proxy cannot reach the server")
	ErrNoProxyCredentials = errors.New("the proxy requires credentials")
	ErrProxyCredentials   = errors.New("the proxy rejected the credentials, or their file cannot be read")
)

// ProxyDial is the Op of a net.OpError whose connection to the proxy was not made.
const ProxyDial = "dial proxy"

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
	for _, cause := range []error{
		context.Canceled, context.DeadlineExceeded, ErrProxyRefused, ErrProxyGateway, ErrProxyCredentials, ErrNoProxyCredentials,
	} {
		if errors.Is(err, cause) {
			return cause
		}
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return context.DeadlineExceeded
	case errors.As(err, &operation) && operation.Op == ProxyDial:
		return ErrNoProxy
	case errors.As(err, &host):
		return ErrNoHost
	case errors.As(err, &certificate):
		return ErrCertificate
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return ErrNoTLS
	case errors.As(err, &system):
		return system
	case errors.As(err, &operation) && operation.Op == "remote error": // an alert, as crypto/tls reports it
		return ofAlert(operation.Err.Error())
	case errors.As(err, &operation) && operation.Op == "local error", rejectsTLS(err) != "":
		if strings.HasPrefix(rejectsTLS(err), "tls: server selected unsupported protocol version") {
			return ErrTLSVersion
		}
		return ErrTLS
	case errors.As(err, &timed) && timed.Timeout():
		return context.DeadlineExceeded
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return ErrTruncated
	default:
		return ErrNoHTTP
	}
}

// rejectsTLS returns the text of an error of crypto/tls about the handshake of a server, which has no type, or "".
func rejectsTLS(err error) string {
	for ; err != nil; err = errors.Unwrap(err) {
		if strings.HasPrefix(err.Error(), "tls: ") {
			return err.Error()
		}
	}
	return ""
}

// ofAlert returns the cause of an alert by the text of crypto/tls, which does not export its number.
func ofAlert(text string) error {
	switch {
	case strings.Contains(text, "certificate"): // a server sends these about the certificate of the client only
		return ErrClientCertificate
	case text == "tls: no application protocol":
		return ErrHTTP2Only
	case text == "tls: protocol version not supported":
		return ErrTLSVersion
	default:
		return ErrTLSAlert
	}
}

// Lasts reports whether the cause remains until somebody changes a setting, a file or a certificate. A retry would fail
// too.
func Lasts(err error) bool {
	lasting := []error{ErrCertificate, ErrClientCertificate, ErrHTTP2Only, ErrProxyCredentials, ErrNoProxyCredentials}
	return slices.ContainsFunc(lasting, func(cause error) bool { return errors.Is(err, cause) })
}
