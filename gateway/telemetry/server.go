package telemetry

import (
	"bufio"
	"bytes"
	"errors"
	"net"
	"net/http"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
)

// responseKey identifies a group of responses.
type responseKey struct{ path, status string }

func (m *Metrics) newResponses(key responseKey) prometheus.Counter {
	return m.requests.WithLabelValues(key.path, key.status)
}

// Around counts the requests to a handler by the status of their responses.
func (m *Metrics) Around(next http.Handler) http.Handler {
	if m.tracing != nil {
		next = m.tracing.around(next)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.serving.Inc()
		recorder := &statusRecorder{ResponseWriter: w}
		defer func() {
			m.responses.of(responseKey{pathOf(r.URL.Path), recorder.label()}).Inc()
			if recorder.status == http.StatusInternalServerError {
				m.internal.Inc()
			}
			m.serving.Dec()
		}()
		next.ServeHTTP(recorder, r)
	})
}

// pathOf is the label of a path: the path itself if it is served, otherwise "other".
func pathOf(path string) string {
	switch path {
	case "/graphql", "/mcp", "/schema.graphql", "/":
		return path
	default:
		return other
	}
}

// statusRecorder records the status of a response.
type statusRecorder struct {
	http.ResponseWriter
	status int // 0 while nothing is written
}

// WriteHeader implements http.ResponseWriter.
func (w *statusRecorder) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *statusRecorder) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(p)
}

// Hijack implements http.Hijacker. A handler that takes the connection either upgrades it through the writer of the
// result, or streams a response with status 200.
func (w *statusRecorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err != nil {
		return conn, buffered, err
	}
	w.status = http.StatusOK
	buffered.Writer = bufio.NewWriterSize(&hijackedWriter{buffered.Writer, w}, handshakeSize)
	return conn, buffered, nil
}

// handshakeSize is the buffer of a response that opens a WebSocket, in bytes; a larger one is written in parts.
const handshakeSize = 512

// hijackedWriter records the status of a response that is written to a hijacked connection.
type hijackedWriter struct {
	*bufio.Writer
	recorder *statusRecorder // nil after the first write, which begins with the status line
}

// Write implements io.Writer. The caller has flushed its own buffer.
func (w *hijackedWriter) Write(p []byte) (int, error) {
	if w.recorder != nil {
		if _, rest, ok := bytes.Cut(p, []byte(" ")); ok && len(rest) >= 3 {
			if status, err := strconv.Atoi(string(rest[:3])); err == nil {
				w.recorder.status = status
			}
		}
		w.recorder = nil
	}
	n, err := w.Writer.Write(p)
	return n, errors.Join(err, w.Flush())
}

// Unwrap supports http.ResponseController.
func (w *statusRecorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *statusRecorder) label() string {
	switch w.status {
	case 0: // net/http sends the response, or a panic aborted it
		return "none"
	case http.StatusOK:
		return "200"
	default:
		return strconv.Itoa(w.status)
	}
}
