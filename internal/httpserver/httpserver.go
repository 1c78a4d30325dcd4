// Package httpserver is the server side of HTTP: its timeouts and limits, and what it reports. It does not know what is
// served.
//
// Read first: New.
package httpserver

import (
	"bytes"
	"context"
	stdlog "log"
	"log/slog"
	"net/http"
	"time"
)

// The limits of the HTTP server. Connections of slower clients are closed.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 15 * time.Second // a body of 1 MiB at 70 KiB/s
	idleTimeout       = 2 * time.Minute  // longer than usual for proxies, so that they close first
	MaxHeader         = 64 << 10         // a token has at most 16 KiB, a document in a URL 32 KiB before it is escaped

	// MaxOperation is the longest time that an operation and an upstream call may take.
	MaxOperation = 50 * time.Second

	// WriteTimeout starts when the header has been read. It covers the body, the longest operation, and a large
	// response over a slow connection. If it were shorter than an operation, the response would be truncated instead of
	// reporting what failed.
	WriteTimeout = readTimeout + MaxOperation + 10*time.Second
)

// New returns a server for a handler.
func New(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout, WriteTimeout: WriteTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: MaxHeader,
		ErrorLog: stdlog.New(serverErrors{log}, "", 0),
	}
}

// serverErrors logs only the class of an error that net/http reports: the text contains addresses of clients, and may
// contain any data of a handler that panicked. Any client can cause errors of TLS and HTTP/2, so these are for
// debugging.
type serverErrors struct{ log *slog.Logger }

// errorClasses are the classes of reports, by how these begin.
var errorClasses = []struct {
	prefix, class string
	level         slog.Level
}{
	{"http: panic serving", "panic", slog.LevelError},
	{"http2: panic serving", "panic", slog.LevelError},
	{"http: Accept error", "accept", slog.LevelError}, // of the process, such as too many open files
	{"http: TLS handshake error", "tls", slog.LevelDebug},
	{"http2: ", "http2", slog.LevelDebug},
	{"timeout waiting for ", "http2", slog.LevelDebug},
	{"", "response", slog.LevelError}, // the handler wrote an invalid response
}

// reasons are the reasons of failed handshakes that a setting may cause, by their texts in crypto/tls, and of
// connections that the process could not accept.
var reasons = map[string]string{
	"too many open files":                 "the limit of open files of the process or of the system is reached",
	"client didn't provide a certificate": "the client has no certificate",
	"failed to verify certificate":        "the client's certificate is not of tls_client_ca, or has expired",
	"remote error":                        "the client rejected the certificate",
	"client sent an HTTP request":         "the client does not use TLS",
}

// Write implements io.Writer.
func (e serverErrors) Write(text []byte) (int, error) {
	for _, known := range errorClasses {
		if !bytes.HasPrefix(text, []byte(known.prefix)) {
			continue
		}
		attrs := []slog.Attr{slog.String("class", known.class)}
		for part, reason := range reasons {
			if (known.class == "tls" || known.class == "accept") && bytes.Contains(text, []byte(part)) {
				attrs = append(attrs, slog.String("reason", reason))
			}
		}
		e.log.LogAttrs(context.Background(), known.level, "http server error", attrs...)
		break
	}
	return len(text), nil
}
