package transport_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"pixgraph/graph/apierror"
	"pixgraph/graph/transport"
)

// TestURL: which queries of a URL are taken.
func TestURL(t *testing.T) {
	e := start(t, transport.Config{})
	tests := []struct {
		name, query string
		fine        bool
	}{
		{"a query", "query=%7B+ok+%7D", true},
		{"with %20", "query=%7B%20ok%20%7D", true},
		{"unknown parameters", "query=%7Bok%7D&x=1&x=2", true},
		{"empty ones", "query=%7Bok%7D&operationName=&variables=&extensions=&documentId=", true},
		{"null", "query=%7Bok%7D&variables=null&extensions=null", true},
		{"variables", "query=%7Bok%7D&variables=%7B%7D", true},
		{"space around variables", "query=%7Bok%7D&variables=+%7B%7D+", true},

		{"nothing", "", false},
		{"no query", "operationName=A", false},
		{"query twice", "query=%7Bok%7D&query=%7Bok%7D", false},
		{"operationName twice", "query=%7Bok%7D&operationName=&operationName=", false},
		{"variables twice", "query=%7Bok%7D&variables=%7B%7D&variables=%7B%7D", false},
		{"documentId twice", "documentId=a&documentId=b", false},
		{"variables of an array", "query=%7Bok%7D&variables=%5B%5D", false},
		{"variables of a string", "query=%7Bok%7D&variables=%22x%22", false},
		{"variables that are no JSON", "query=%7Bok%7D&variables=%7B", false},
		{"a byte behind variables", "query=%7Bok%7D&variables=%7B%7Dx", false},
		{"a member twice", "query=%7Bok%7D&variables=%7B%22a%22:1,%22a%22:2%7D", false},
		{"half a surrogate pair", "query=%7Bok%7D&variables=%7B%22a%22:%22%5Cud800%22%7D", false},
		{"extensions of a number", "query=%7Bok%7D&extensions=1", false},
		{"an escape that is none", "query=%7Bok%7D&x=%zz", false},
		{"a semicolon", "query=%7Bok%7D;x=1", false},
		{"bytes that are not UTF-8", "query=%7Bok%7D&operationName=%ff", false},
		{"a query that is not UTF-8", "query=%7Bok%7D%ff", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e.t = t
			for _, media := range []string{graphqlType, jsonType} {
				r := e.send(http.MethodGet, "?"+tt.query, "", plain, "Accept: "+media)
				if tt.fine {
					r.want(http.StatusOK, `{"data":{"ok":"fine"}}`)
				} else {
					r.wantError(http.StatusBadRequest, apierror.BadRequest)
				}
			}
		})
	}
}

// TestURLLimits: the JSON of a URL is bounded as that of a body.
func TestURLLimits(t *testing.T) {
	e := start(t, transport.Config{})
	deep := `{"a":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`
	e.get(url.Values{"query": {"{ ok }"}, "variables": {deep}}).wantError(http.StatusBadRequest, apierror.LimitExceeded)
}

// TestMethods: other methods, and operations that are no query over GET.
func TestMethods(t *testing.T) {
	e := start(t, transport.Config{})
	for _, method := range []string{"PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"} {
		r := e.send(method, "?query=%7Bok%7D", `{"query":"{ ok }"}`, plain)
		r.wantError(http.StatusMethodNotAllowed, apierror.BadRequest)
		r.wantHeader("Allow", "GET, POST")
	}
	if r := e.send(http.MethodHead, "?query=%7Bok%7D", "", plain); r.status != http.StatusMethodNotAllowed || r.body != "" {
		t.Errorf("HEAD answered %d %q", r.status, r.body)
	}
	for _, document := range []string{`mutation { change }`, `subscription { events }`, `query A { ok } mutation B { change }`} {
		for _, media := range []string{graphqlType, jsonType} {
			r := e.get(url.Values{"query": {document}, "operationName": {map[bool]string{true: "B"}[strings.Contains(document, " B ")]}}, "Accept: "+media)
			r.wantError(http.StatusMethodNotAllowed, apierror.BadRequest)
			r.wantHeader("Allow", "POST")
		}
	}
}
