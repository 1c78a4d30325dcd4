package telemetry

import (
	"net/http"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
)

// answerKey tells answered requests apart.
type answerKey struct{ path, status string }

func (m *Metrics) newAnswers(key answerKey) prometheus.Counter {
	return m.requests.WithLabelValues(key.path, key.status)
}

// Around counts the requests that a handler answers.
func (m *Metrics) Around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.serving.Inc()
		answered := &answerWriter{ResponseWriter: w}
		defer func() {
			m.answers.of(answerKey{pathOf(r.URL.Path), answered.label()}).Inc()
			m.serving.Dec()
		}()
		next.ServeHTTP(answered, r)
	})
}

// pathOf is the label of a path: what is served, and one word for all else.
func pathOf(path string) string {
	switch path {
	case "/graphql", "/schema.graphql", "/":
		return path
	default:
		return other
	}
}

// answerWriter notes the status of an answer.
type answerWriter struct {
	http.ResponseWriter
	status int // 0 while nothing is written
}

// WriteHeader implements http.ResponseWriter.
func (w *answerWriter) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *answerWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (w *answerWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *answerWriter) label() string {
	switch w.status {
	case 0: // net/http answers it, or a panic has cut it off
		return "none"
	case http.StatusOK:
		return "200"
	default:
		return strconv.Itoa(w.status)
	}
}
