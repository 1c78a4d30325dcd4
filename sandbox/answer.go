package sandbox

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// gzipFrom is the minimum size of a body that is compressed: below it the saving is less than a packet.
const gzipFrom = 1400

const jsonType = "application/json; charset=utf-8"

// answer is the response to one call before it is sent, so that a fault can change it.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func jsonAnswer(status int, body []byte) answer {
	return answer{status: status, header: http.Header{"Content-Type": {jsonType}}, body: body}
}

// problem is the body of every error response (spec 7 does not show one).
type problem struct {
	StatusCode int         `json:"statusCode"`
	Message    string      `json:"message"`
	Errors     []violation `json:"errors,omitempty"`
}

func problemAnswer(status int, message string, broken ...violation) answer {
	body, err := json.Marshal(problem{status, message, broken})
	if err != nil {
		panic(err) // it contains only strings and numbers
	}
	return jsonAnswer(status, body)
}

// send writes a in one write, compressed if the client accepts gzip and the
// body is large enough. It calls end before the client can see the last byte.
func (s *Sandbox) send(w http.ResponseWriter, r *http.Request, a answer, end func(int)) {
	h := writeHeader(w, a)
	body := a.body
	if len(body) >= gzipFrom && h.Get("Content-Encoding") == "" {
		h.Add("Vary", "Accept-Encoding")
		if acceptsGzip(r.Header) {
			h.Set("Content-Encoding", "gzip")
			body = s.gzip(body)
		}
	}
	end(a.status)
	if !bodyAllowed(a.status) {
		w.WriteHeader(a.status)
		return
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(a.status)
	_, _ = w.Write(body) // a closed connection is not a failure of the sandbox
}

// writeHeader copies the headers of a to w.
func writeHeader(w http.ResponseWriter, a answer) http.Header {
	h := w.Header()
	for name, values := range a.header {
		h[name] = append([]string(nil), values...)
	}
	return h
}

func bodyAllowed(status int) bool {
	return status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
}

func (s *Sandbox) gzip(body []byte) []byte {
	zw := s.gzips.Get().(*gzip.Writer)
	defer s.gzips.Put(zw)
	var buf bytes.Buffer
	zw.Reset(&buf)
	_, _ = zw.Write(body) // a bytes.Buffer does not fail
	_ = zw.Close()
	return buf.Bytes()
}

// acceptsGzip parses Accept-Encoding (RFC 9110, section 12.5.3). It ignores "*", which is always allowed.
func acceptsGzip(h http.Header) bool {
	for _, line := range h.Values("Accept-Encoding") {
		for item := range strings.SplitSeq(line, ",") {
			coding, weight, _ := strings.Cut(item, ";")
			if !strings.EqualFold(strings.TrimSpace(coding), "gzip") {
				continue
			}
			q, weighted := strings.CutPrefix(strings.ReplaceAll(weight, " ", ""), "q=")
			f, err := strconv.ParseFloat(q, 64)
			return !weighted || err == nil && f > 0
		}
	}
	return false
}
