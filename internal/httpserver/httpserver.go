// Package httpserver is the server side of HTTP: its timeouts and limits, and what it reports. It does not know what is served.
//
// Read first: New.
package httpserver

import (
	"bytes"
	stdlog "log"
	"log/slog"
	"net/http"
	"time"

	"pixgraph/internal/settings"
)

// The limits of the HTTP server. Connections of slower clients are closed.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 15 * time.Second // a body of 1 MiB at 70 KiB/s
	idleTimeout       = 2 * time.Minute  // longer than usual for proxies, so that they close first
	MaxHeader         = 64 << 10         // a token has at most 16 KiB, a document in a URL 32 KiB before it is escaped

	// writeTimeout starts when the header has been read. It covers the body, the longest operation, and a large response
	// over a slow connection. If it were shorter than an operation, the response would be truncated instead of reporting
	// what failed.
	writeTimeout = readTimeout + settings.MaxOperationTimeout + 10*time.Second
)

// New returns a server for a handler.
func New(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: MaxHeader,
		ErrorLog: stdlog.New(serverErrors{log}, "", 0),
	}
}

// serverErrors logs only the class of an error that net/http reports: the text contains addresses of clients, and may
// contain any data of a handler that panicked.
type serverErrors struct{ log *slog.Logger }

func (e serverErrors) Write(text []byte) (int, error) {
	class := "response" // the handler wrote an invalid response: all other reports of net/http
	switch {
	case bytes.HasPrefix(text, []byte("http: panic serving")):
		class = "panic"
	case bytes.HasPrefix(text, []byte("http: Accept error")): // of the process, such as too many open files
		class = "accept"
	}
	e.log.Error("http server error", "class", class)
	return len(text), nil
}
