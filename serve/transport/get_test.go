package transport_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"pixgraph/graph/apierror"
	"pixgraph/serve/run"
)

// TestURL: the valid and invalid queries of a URL.
func TestURL(t *testing.T) {
	e := start(t, run.Config{})
	tests := []struct {
		name, query string
		valid       bool
	}{
		{"a query", "query=%7B+ok+%7D", true},
		{"with %20", "query=%7B%20ok%20%7D", true},
		{"unknown parameters", "query=%7Bok%7D&x=1&x=2", true},
		{"empty parameters", "query=%7Bok%7D&operationName=&variables=&extensions=&documentId=", true},
		{"null", "query=%7Bok%7D&variables=null&extensions=null", true},
		{"variables", "query=%7Bok%7D&variables=%7B%7D", true},
		{"space around variables", "query=%7Bok%7D&variables=+%7B%7D+", true},

		{"no parameter", "", false},
		{"no query", "operationName=A", false},
		{"two queries", "query=%7Bok%7D&query=%7Bok%7D", false},
		{"two operationNames", "query=%7Bok%7D&operationName=&operationName=", false},
		{"two variables", "query=%7Bok%7D&variables=%7B%7D&variables=%7B%7D", false},
		{"two documentIds", "documentId=a&documentId=b", false},
		{"an array as variables", "query=%7Bok%7D&variables=%5B%5D", false},
		{"a string as variables", "query=%7Bok%7D&variables=%22x%22", false},
		{"variables that are not JSON", "query=%7Bok%7D&variables=%7B", false},
		{"a byte after variables", "query=%7Bok%7D&variables=%7B%7Dx", false},
		{"a duplicate member", "query=%7Bok%7D&variables=%7B%22a%22:1,%22a%22:2%7D", false},
		{"an unpaired surrogate", "query=%7Bok%7D&variables=%7B%22a%22:%22%5Cud800%22%7D", false},
		{"a number as extensions", "query=%7Bok%7D&extensions=1", false},
		{"an invalid escape", "query=%7Bok%7D&x=%zz", false},
		{"a semicolon", "query=%7Bok%7D;x=1", false},
		{"bytes that are not UTF-8", "query=%7Bok%7D&operationName=%ff", false},
		{"a query that is not UTF-8", "query=%7Bok%7D%ff", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e.t = t
			for _, media := range []string{graphqlType, jsonType} {
				r := e.send(http.MethodGet, "?"+tt.query, "", plain, "Accept: "+media)
				if tt.valid {
					r.wantBody(http.StatusOK, `{"data":{"ok":"fine"}}`)
				} else {
					r.wantError(http.StatusBadRequest, apierror.BadRequest)
				}
			}
		})
	}
}

// TestURLLimits: the JSON of a URL has the bounds of a body.
func TestURLLimits(t *testing.T) {
	e := start(t, run.Config{})
	deep := `{"a":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`
	e.get(url.Values{"query": {"{ ok }"}, "variables": {deep}}).wantError(http.StatusBadRequest, apierror.LimitExceeded)
}

// TestMethods: other methods, and GET of operations that are not queries, are rejected.
func TestMethods(t *testing.T) {
	e := start(t, run.Config{})
	for _, method := range []string{"PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"} {
		r := e.send(method, "?query=%7Bok%7D", `{"query":"{ ok }"}`, plain)
		r.wantError(http.StatusMethodNotAllowed, apierror.BadRequest)
		r.wantHeader("Allow", "GET, HEAD, POST")
	}
	head, got := e.send(http.MethodHead, "?query=%7Bok%7D", ""), e.send(http.MethodGet, "?query=%7Bok%7D", "")
	if head.status != http.StatusOK || head.body != "" || head.header.Get("Content-Length") != strconv.Itoa(len(got.body)) ||
		head.header.Get("Etag") != got.header.Get("Etag") {
		t.Errorf("HEAD returned %d %q %v", head.status, head.body, head.header)
	}
	for accept, want := range map[string]int{"text/event-stream": http.StatusNotAcceptable, "text/event-stream, " + graphqlType: http.StatusBadRequest} {
		r := e.send(http.MethodHead, "?query=subscription%7Bcount%7D", "", "Accept: "+accept)
		if r.status != want || r.body != "" {
			t.Errorf("HEAD of a subscription with %s: %d %q, want %d", accept, r.status, r.body, want)
		}
	}
	for _, document := range []string{`mutation { change }`, `query A { ok } mutation B { change }`} {
		for _, media := range []string{graphqlType, jsonType} {
			r := e.get(url.Values{"query": {document}, "operationName": {map[bool]string{true: "B"}[strings.Contains(document, " B ")]}}, "Accept: "+media)
			r.wantError(http.StatusMethodNotAllowed, apierror.BadRequest)
			r.wantHeader("Allow", "POST")
		}
	}
}
