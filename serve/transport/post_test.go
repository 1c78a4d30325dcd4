package transport_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/graph/apierror"
	"pixgraph/internal/quota"
	"pixgraph/request"
	"pixgraph/serve/run"
	"pixgraph/serve/run/runtest"
)

// TestBody: the valid and invalid bodies. An invalid body is not a GraphQL request, so its status is 400 for each media
// type.
func TestBody(t *testing.T) {
	e := start(t, run.Config{MaxBody: 100_000})
	const (
		ok      = `{"data":{"ok":"fine"}}`
		bad     = apierror.BadRequest
		limited = apierror.LimitExceeded
	)
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	tests := []struct {
		name, body string
		code       apierror.Code // empty for a valid body
	}{
		{"a query", `{"query":"{ ok }"}`, ""},
		{"space around the object", " \r\n\t{ \"query\" : \"{ ok }\" } \n", ""},
		{"an escaped name", `{"quer\u0079":"{ ok }"}`, ""},
		{"null for optional members", `{"query":"{ ok }","operationName":null,"variables":null,"extensions":null,"documentId":null}`, ""},
		{"empty texts, as in a URL", `{"query":"{ ok }","operationName":"","variables":"","extensions":"","documentId":""}`, ""},
		{"an empty name", `{"query":"{ ok }","operationName":""}`, ""},
		{"unknown members", `{"query":"{ ok }","id":7,"x":{"y":[1,null,true]}}`, ""},
		{"an emoji in two escapes", `{"query":"{ ok }","x":"\ud83d\ude00"}`, ""},
		{"an escaped backslash before u", `{"query":"{ ok }","x":"\\ud83d"}`, ""},
		{"nested to the limit", `{"query":"{ ok }","x":` + nested(63) + `}`, ""},
		{"nested above the limit", `{"query":"{ ok }","x":` + nested(64) + `}`, limited},
		{"nested far above the limit", `{"query":"{ ok }","x":` + nested(40_000) + `}`, limited},
		{"variables nested far above the limit", `{"query":"{ ok }","variables":{"x":` + strings.Repeat(`{"a":`, 10_000), limited},
		{"values to the limit", `{"query":"{ ok }","x":[` + strings.Repeat("0,", 9_997) + `0]}`, ""},
		{"values above the limit", `{"query":"{ ok }","x":[` + strings.Repeat("0,", 9_998) + `0]}`, limited},

		{"empty", ``, bad},
		{"space", "  \n", bad},
		{"null", `null`, bad},
		{"a string", `"{ ok }"`, bad},
		{"a number", `1`, bad},
		{"a batch", `[{"query":"{ ok }"}]`, bad},
		{"an empty object", `{}`, bad},
		{"truncated", `{"query":"{ ok }"`, bad},
		{"truncated in a string", `{"query":"{ ok`, bad},
		{"a byte after the object", `{"query":"{ ok }"}x`, bad},
		{"a second object", `{"query":"{ ok }"}{}`, bad},
		{"a brace after the object", `{"query":"{ ok }"}}`, bad},
		{"a comma after the last member", `{"query":"{ ok }",}`, bad},
		{"a comma after the last element", `{"query":"{ ok }","x":[1,]}`, bad},
		{"single quotes", `{'query':'{ ok }'}`, bad},
		{"a name without quotes", `{query:"{ ok }"}`, bad},
		{"a comment", `{"query":"{ ok }"} // a comment`, bad},
		{"a byte order mark", "\ufeff" + `{"query":"{ ok }"}`, bad},
		{"UTF-16", "{\x00\"\x00q\x00u\x00e\x00r\x00y\x00\"\x00", bad},
		{"bytes that are not UTF-8", "{\"query\":\"{ ok }\",\"x\":\"\xff\"}", bad},
		{"an overlong encoding", "{\"query\":\"{ ok }\",\"x\":\"\xc0\xaf\"}", bad},
		{"a surrogate in UTF-8", "{\"query\":\"{ ok }\",\"x\":\"\xed\xa0\x80\"}", bad},
		{"only a high surrogate", `{"query":"{ ok }","x":"\ud83d"}`, bad},
		{"a high surrogate before text", `{"query":"{ ok }","x":"\ud83dx"}`, bad},
		{"a high surrogate before another escape", `{"query":"{ ok }","x":"\ud83d\n"}`, bad},
		{"two high surrogates", `{"query":"{ ok }","x":"\ud83d\ud83d"}`, bad},
		{"only a low surrogate", `{"query":"{ ok }","x":"\ude00"}`, bad},
		{"a surrogate in a name", `{"query":"{ ok }","\ude00":1}`, bad},
		{"a control character", "{\"query\":\"{ ok }\",\"x\":\"\n\"}", bad},
		{"an invalid escape", `{"query":"{ ok }","x":"\x41"}`, bad},
		{"a truncated escape", `{"query":"{ ok }","x":"\u12"}`, bad},
		{"a leading zero", `{"query":"{ ok }","x":012}`, bad},
		{"only a sign", `{"query":"{ ok }","x":-}`, bad},
		{"a plus sign", `{"query":"{ ok }","x":+1}`, bad},
		{"a point without digits", `{"query":"{ ok }","x":1.}`, bad},
		{"hexadecimal", `{"query":"{ ok }","x":0x10}`, bad},
		{"not a number", `{"query":"{ ok }","x":NaN}`, bad},
		{"a word", `{"query":"{ ok }","x":nul}`, bad},
		{"a duplicate member", `{"query":"{ ok }","query":"{ ok }"}`, bad},
		{"a duplicate member with an escape", `{"query":"{ ok }","quer\u0079":"{ ok }"}`, bad},
		{"a duplicate nested member", `{"query":"{ ok }","variables":{"a":1,"a":2}}`, bad},
		{"a name in another case", `{"Query":"{ ok }"}`, bad},
		{"null as query", `{"query":null}`, bad},
		{"a number as query", `{"query":0}`, bad},
		{"an object as query", `{"query":{"a":"b"}}`, bad},
		{"false as query", `{"query":false}`, bad},
		{"an array as query", `{"query":["array"]}`, bad},
		{"a number as operationName", `{"query":"{ ok }","operationName":0}`, bad},
		{"an object as operationName", `{"query":"{ ok }","operationName":{}}`, bad},
		{"a string as variables", `{"query":"{ ok }","variables":"{}"}`, bad},
		{"an array as variables", `{"query":"{ ok }","variables":[]}`, bad},
		{"false as variables", `{"query":"{ ok }","variables":false}`, bad},
		{"a number as extensions", `{"query":"{ ok }","extensions":0}`, bad},
		{"an array as extensions", `{"query":"{ ok }","extensions":[]}`, bad},
		{"a number as documentId", `{"query":"{ ok }","documentId":1}`, bad},
		{"only an empty documentId", `{"documentId":""}`, bad},
		{"only null as persisted query", `{"extensions":{"persistedQuery":null}}`, bad},
		{"only a documentId in extensions", `{"extensions":{"documentId":"x"}}`, bad},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e.t = t
			for _, media := range []string{graphqlType, jsonType} {
				r := e.post(tt.body, "Accept: "+media)
				if tt.code == "" {
					r.wantBody(http.StatusOK, ok)
				} else {
					r.wantError(http.StatusBadRequest, tt.code)
				}
				r.wantHeader("Content-Type", media+"; charset=utf-8")
			}
		})
	}
}

// TestParameters: the executor gets the same of a POST and of a GET.
func TestParameters(t *testing.T) {
	e := start(t, run.Config{})
	tests := []struct {
		name                  string
		variables, extensions string // as sent; "" for none
		documentID            string
		want                  string // of data
	}{
		{"only a document", "", "", "", `{"extensions":null,"variables":{}}`},
		{
			"digits of numbers", `{"any":[9007199254740993,1E400,-0,1.10]}`, "", "",
			`{"extensions":null,"variables":{"any":[9007199254740993,1E400,-0,1.10]}}`,
		},
		{
			"values of each type", `{"any":{"a":[],"b":{},"c":null,"d":true,"e":"\u0000é\ud83d\ude00","":1}}`, "", "",
			`{"extensions":null,"variables":{"any":{"":1,"a":[],"b":{},"c":null,"d":true,"e":"\u0000é😀"}}}`,
		},
		{
			"extensions", "", `{"persistedQuery":{"version":1}}`, "",
			`{"extensions":{"persistedQuery":{"version":1}},"variables":{}}`,
		},
		{
			"a documentId", "", "", "abc",
			`{"extensions":{"documentId":"abc"},"variables":{}}`,
		},
		{
			"a documentId and one in extensions", "", `{"documentId":{"x":1},"y":2}`, "abc",
			`{"extensions":{"documentId":"abc","y":2},"variables":{}}`,
		},
		{
			"only a documentId in extensions", "", `{"documentId":"mine"}`, "",
			`{"extensions":{},"variables":{}}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e.t = t
			const document = `query Q($any: JSON) { echo(any: $any) } query Other { ok }`
			body := `{"query":"` + document + `","operationName":"Q"`
			parameters := map[string][]string{"query": {document}, "operationName": {"Q"}}
			for name, value := range map[string]string{"variables": tt.variables, "extensions": tt.extensions} {
				if value != "" {
					body += `,"` + name + `":` + value
					parameters[name] = []string{value}
				}
			}
			if tt.documentID != "" {
				body += `,"documentId":"` + tt.documentID + `"`
				parameters["documentId"] = []string{tt.documentID}
			}
			for _, r := range []reply{e.post(body + "}"), e.get(parameters)} {
				var envelope struct{ Data json.RawMessage }
				must(t, json.Unmarshal([]byte(r.body), &envelope))
				if got := compact(t, string(envelope.Data)); got != tt.want {
					t.Errorf("the executor got %s\nwant %s", got, tt.want)
				}
			}
		})
	}
}

// TestNoQuery: a request that names a document needs no query.
func TestNoQuery(t *testing.T) {
	e := start(t, run.Config{})
	for _, body := range []string{`{"documentId":"x"}`, `{"extensions":{"persistedQuery":{"version":1}}}`, `{"query":null,"documentId":"x"}`} {
		// Without the extension for persisted documents the document is empty.
		e.post(body).wantError(http.StatusOK, "GRAPHQL_VALIDATION_FAILED")
		e.post(body, "Accept: "+graphqlType).wantError(http.StatusBadRequest, "GRAPHQL_VALIDATION_FAILED")
	}
}

// TestContentType: a POST must be JSON in UTF-8 without a content coding.
func TestContentType(t *testing.T) {
	e := start(t, run.Config{})
	tests := []struct {
		name, header string
		valid        bool
	}{
		{"JSON", "Content-Type: application/json", true},
		{"JSON in UTF-8", "Content-Type: application/json; charset=utf-8", true},
		{"JSON in UTF-8, by its other name", "Content-Type: application/json; charset=utf8", true},
		{"in upper case", `Content-Type: Application/JSON;Charset="UTF-8"`, true},
		{"with another parameter", "Content-Type: application/json; profile=x", true},
		{"no content type", "Content-Type: ", false},
		{"text", "Content-Type: text/plain", false},
		{"a form", "Content-Type: application/x-www-form-urlencoded", false},
		{"an upload", "Content-Type: multipart/form-data; boundary=x", false},
		{"GraphQL", "Content-Type: application/graphql", false},
		{"the type of responses", "Content-Type: application/graphql-response+json", false},
		{"another type with the same prefix", "Content-Type: application/jsonp", false},
		{"JSON as a parameter", "Content-Type: text/plain; application/json", false},
		{"two types", "Content-Type: application/json, text/plain", false},
		{"in UTF-16", "Content-Type: application/json; charset=utf-16", false},
		{"in Latin-1", "Content-Type: application/json; charset=iso-8859-1", false},
		{"an empty charset", "Content-Type: application/json; charset=", false},
		{"two charsets", "Content-Type: application/json; charset=utf-8; charset=utf-16", false},
		{"identity", "Content-Encoding: identity", true},
		{"gzip", "Content-Encoding: gzip", false},
		{"brotli", "Content-Encoding: br", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e.t = t
			r := e.post(`{"query":"{ ok }"}`, tt.header)
			if tt.valid {
				r.wantBody(http.StatusOK, `{"data":{"ok":"fine"}}`)
				return
			}
			r.wantError(http.StatusUnsupportedMediaType, apierror.BadRequest)
			r.wantHeader("Accept-Post", "application/json")
			if strings.HasPrefix(tt.header, "Content-Encoding") {
				r.wantHeader("Accept-Encoding", "identity")
			}
		})
	}
}

// TestMaxBody: bodies around the limit.
func TestMaxBody(t *testing.T) {
	const limit = 1000
	e := start(t, run.Config{MaxBody: limit})
	body := func(size int) string {
		const around = `{"query":"{ ok }","x":""}`
		return around[:len(around)-2] + strings.Repeat("x", size-len(around)) + `"}`
	}
	e.post(body(limit-1)).wantBody(http.StatusOK, `{"data":{"ok":"fine"}}`)
	e.post(body(limit)).wantBody(http.StatusOK, `{"data":{"ok":"fine"}}`)
	r := e.post(body(limit + 1))
	r.wantBody(http.StatusRequestEntityTooLarge,
		`{"errors":[{"message":"the request body is too large","extensions":{"code":"LIMIT_EXCEEDED","limit":"bodyBytes","retryable":false,"value":1000}}]}`)
}

// TestOuterLimit: a limit that is set around the transport has the same response.
func TestOuterLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // net/http closes the connection after half a second
		e := serve(t, http.MaxBytesHandler(newHandler(t, run.Config{}, nil), 10))
		e.post(`{"query":"{ ok }"}`).wantError(http.StatusRequestEntityTooLarge, apierror.LimitExceeded)
	})
}

// TestLongTurn: a large body is parsed in a turn, which ends before the operation is admitted.
func TestLongTurn(t *testing.T) {
	gateway := &turning{Gateway: runtest.New(newSchema(t)), turns: quota.NewTurns(1, quota.DefaultPiece)}
	e := serve(t, handlerOf(t, gateway, run.Config{}, nil))
	for spaces, turns := range map[int]int{10: 0, 16 << 10: 1} {
		gateway.taken, gateway.admitted = 0, 0
		e.query("{ ok "+strings.Repeat(" ", spaces)+"}").wantBody(http.StatusOK, `{"data":{"ok":"fine"}}`)
		if gateway.taken != turns || gateway.admitted != 1 {
			t.Errorf("%d spaces: %d turns, want %d; %d operations were admitted after them", spaces, gateway.taken, turns, gateway.admitted)
		}
	}
}

// turning is a gateway with turns.
type turning struct {
	runtest.Gateway
	turns           *quota.Turns
	taken, admitted int
}

func (g *turning) LongTurn(ctx context.Context, _ *request.Call) *quota.Turn {
	g.taken++
	turn, _ := g.turns.Take(ctx, "caller", 0)
	return turn
}

// Admit waits for the only turn, which must be free.
func (g *turning) Admit(ctx context.Context, _ *request.Call) bool {
	turn, err := g.turns.Take(ctx, "caller", time.Millisecond)
	if err == nil {
		g.admitted++
		turn.End()
	}
	return true
}
