package transport_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"pixgraph/graph/apierror"
	"pixgraph/graph/transport"
)

// TestBody: which bodies are taken. The media type changes nothing about the others: they are not GraphQL requests.
func TestBody(t *testing.T) {
	e := start(t, transport.Config{MaxBody: 100_000})
	const (
		fine    = `{"data":{"ok":"fine"}}`
		bad     = apierror.BadRequest
		limited = apierror.LimitExceeded
	)
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	tests := []struct {
		name, body string
		code       apierror.Code // "" when it is answered
	}{
		{"a query", `{"query":"{ ok }"}`, ""},
		{"space around", " \r\n\t{ \"query\" : \"{ ok }\" } \n", ""},
		{"an escaped name", `{"quer\u0079":"{ ok }"}`, ""},
		{"null for what is optional", `{"query":"{ ok }","operationName":null,"variables":null,"extensions":null,"documentId":null}`, ""},
		{"an empty name", `{"query":"{ ok }","operationName":""}`, ""},
		{"unknown members", `{"query":"{ ok }","id":7,"x":{"y":[1,null,true]}}`, ""},
		{"an emoji in two escapes", `{"query":"{ ok }","x":"\ud83d\ude00"}`, ""},
		{"an escaped backslash before u", `{"query":"{ ok }","x":"\\ud83d"}`, ""},
		{"nested as deep as may be", `{"query":"{ ok }","x":` + nested(63) + `}`, ""},
		{"nested deeper", `{"query":"{ ok }","x":` + nested(64) + `}`, limited},
		{"nested very deep", `{"query":"{ ok }","x":` + nested(40_000) + `}`, limited},
		{"variables nested very deep", `{"query":"{ ok }","variables":{"x":` + strings.Repeat(`{"a":`, 10_000), limited},
		{"as many values as may be", `{"query":"{ ok }","x":[` + strings.Repeat("0,", 9_997) + `0]}`, ""},
		{"more values", `{"query":"{ ok }","x":[` + strings.Repeat("0,", 9_998) + `0]}`, limited},

		{"empty", ``, bad},
		{"space", "  \n", bad},
		{"null", `null`, bad},
		{"a string", `"{ ok }"`, bad},
		{"a number", `1`, bad},
		{"a batch", `[{"query":"{ ok }"}]`, bad},
		{"an empty object", `{}`, bad},
		{"cut short", `{"query":"{ ok }"`, bad},
		{"cut in a string", `{"query":"{ ok`, bad},
		{"a byte behind", `{"query":"{ ok }"}x`, bad},
		{"a second object", `{"query":"{ ok }"}{}`, bad},
		{"a brace behind", `{"query":"{ ok }"}}`, bad},
		{"a comma behind the last member", `{"query":"{ ok }",}`, bad},
		{"a comma behind the last element", `{"query":"{ ok }","x":[1,]}`, bad},
		{"single quotes", `{'query':'{ ok }'}`, bad},
		{"a name without quotes", `{query:"{ ok }"}`, bad},
		{"a comment", `{"query":"{ ok }"} // fine`, bad},
		{"a byte order mark", "\ufeff" + `{"query":"{ ok }"}`, bad},
		{"UTF-16", "{\x00\"\x00q\x00u\x00e\x00r\x00y\x00\"\x00", bad},
		{"bytes that are not UTF-8", "{\"query\":\"{ ok }\",\"x\":\"\xff\"}", bad},
		{"an overlong encoding", "{\"query\":\"{ ok }\",\"x\":\"\xc0\xaf\"}", bad},
		{"a surrogate in UTF-8", "{\"query\":\"{ ok }\",\"x\":\"\xed\xa0\x80\"}", bad},
		{"a high surrogate alone", `{"query":"{ ok }","x":"\ud83d"}`, bad},
		{"a high surrogate before text", `{"query":"{ ok }","x":"\ud83dx"}`, bad},
		{"a high surrogate before another escape", `{"query":"{ ok }","x":"\ud83d\n"}`, bad},
		{"two high surrogates", `{"query":"{ ok }","x":"\ud83d\ud83d"}`, bad},
		{"a low surrogate alone", `{"query":"{ ok }","x":"\ude00"}`, bad},
		{"a surrogate in a name", `{"query":"{ ok }","\ude00":1}`, bad},
		{"a control character", "{\"query\":\"{ ok }\",\"x\":\"\n\"}", bad},
		{"an escape that is none", `{"query":"{ ok }","x":"\x41"}`, bad},
		{"an escape cut short", `{"query":"{ ok }","x":"\u12"}`, bad},
		{"a leading zero", `{"query":"{ ok }","x":012}`, bad},
		{"a sign alone", `{"query":"{ ok }","x":-}`, bad},
		{"a plus", `{"query":"{ ok }","x":+1}`, bad},
		{"a point without digits", `{"query":"{ ok }","x":1.}`, bad},
		{"hexadecimal", `{"query":"{ ok }","x":0x10}`, bad},
		{"not a number", `{"query":"{ ok }","x":NaN}`, bad},
		{"a word", `{"query":"{ ok }","x":nul}`, bad},
		{"a member twice", `{"query":"{ ok }","query":"{ ok }"}`, bad},
		{"a member twice by an escape", `{"query":"{ ok }","quer\u0079":"{ ok }"}`, bad},
		{"a nested member twice", `{"query":"{ ok }","variables":{"a":1,"a":2}}`, bad},
		{"other capitals", `{"Query":"{ ok }"}`, bad},
		{"query of null", `{"query":null}`, bad},
		{"query of a number", `{"query":0}`, bad},
		{"query of an object", `{"query":{"a":"b"}}`, bad},
		{"query of false", `{"query":false}`, bad},
		{"query of an array", `{"query":["array"]}`, bad},
		{"operationName of a number", `{"query":"{ ok }","operationName":0}`, bad},
		{"operationName of an object", `{"query":"{ ok }","operationName":{}}`, bad},
		{"variables of a string", `{"query":"{ ok }","variables":"{}"}`, bad},
		{"variables of an array", `{"query":"{ ok }","variables":[]}`, bad},
		{"variables of false", `{"query":"{ ok }","variables":false}`, bad},
		{"extensions of a number", `{"query":"{ ok }","extensions":0}`, bad},
		{"extensions of an array", `{"query":"{ ok }","extensions":[]}`, bad},
		{"documentId of a number", `{"query":"{ ok }","documentId":1}`, bad},
		{"an empty documentId alone", `{"documentId":""}`, bad},
		{"a persisted query of null alone", `{"extensions":{"persistedQuery":null}}`, bad},
		{"a documentId in extensions alone", `{"extensions":{"documentId":"x"}}`, bad},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e.t = t
			for _, media := range []string{graphqlType, jsonType} {
				r := e.post(tt.body, "Accept: "+media)
				if tt.code == "" {
					r.want(http.StatusOK, fine)
				} else {
					r.wantError(http.StatusBadRequest, tt.code)
				}
				r.wantHeader("Content-Type", media+"; charset=utf-8")
			}
		})
	}
}

// TestParameters: what the executor gets of a request, by POST and by GET.
func TestParameters(t *testing.T) {
	e := start(t, transport.Config{})
	tests := []struct {
		name                  string
		variables, extensions string // as sent; "" for none
		documentID            string
		want                  string // of data
	}{
		{"nothing", "", "", "", `{"extensions":null,"headers":null,"variables":{}}`},
		{
			"digits of numbers", `{"any":[9007199254740993,1E400,-0,1.10]}`, "", "",
			`{"extensions":null,"headers":null,"variables":{"any":[9007199254740993,1E400,-0,1.10]}}`,
		},
		{
			"every kind", `{"any":{"a":[],"b":{},"c":null,"d":true,"e":"\u0000é\ud83d\ude00","":1}}`, "", "",
			`{"extensions":null,"headers":null,"variables":{"any":{"":1,"a":[],"b":{},"c":null,"d":true,"e":"\u0000é😀"}}}`,
		},
		{
			"extensions", "", `{"persistedQuery":{"version":1}}`, "",
			`{"extensions":{"persistedQuery":{"version":1}},"headers":null,"variables":{}}`,
		},
		{
			"a documentId", "", "", "abc",
			`{"extensions":{"documentId":"abc"},"headers":null,"variables":{}}`,
		},
		{
			"a documentId and one in extensions", "", `{"documentId":{"x":1},"y":2}`, "abc",
			`{"extensions":{"documentId":"abc","y":2},"headers":null,"variables":{}}`,
		},
		{
			"one in extensions alone", "", `{"documentId":"mine"}`, "",
			`{"extensions":{},"headers":null,"variables":{}}`,
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
				if err := json.Unmarshal([]byte(r.body), &envelope); err != nil {
					t.Fatal(err)
				}
				if got := compact(t, string(envelope.Data)); got != tt.want {
					t.Errorf("the executor got %s\nwant %s", got, tt.want)
				}
			}
		})
	}
}

// TestNoQuery: a request without a query is one when it names a document.
func TestNoQuery(t *testing.T) {
	e := start(t, transport.Config{})
	for _, body := range []string{`{"documentId":"x"}`, `{"extensions":{"persistedQuery":{"version":1}}}`, `{"query":null,"documentId":"x"}`} {
		// Without such an extension the document is the empty one.
		e.post(body).wantError(http.StatusOK, "GRAPHQL_VALIDATION_FAILED")
		e.post(body, "Accept: "+graphqlType).wantError(http.StatusBadRequest, "GRAPHQL_VALIDATION_FAILED")
	}
}

// TestContentType: a POST is JSON in UTF-8 and not encoded otherwise.
func TestContentType(t *testing.T) {
	e := start(t, transport.Config{})
	tests := []struct {
		name, header string
		fine         bool
	}{
		{"JSON", "Content-Type: application/json", true},
		{"in UTF-8", "Content-Type: application/json; charset=utf-8", true},
		{"in capitals", `Content-Type: Application/JSON;Charset="UTF-8"`, true},
		{"with another parameter", "Content-Type: application/json; profile=x", true},
		{"absent", "Content-Type: ", false},
		{"text", "Content-Type: text/plain", false},
		{"a form", "Content-Type: application/x-www-form-urlencoded", false},
		{"an upload", "Content-Type: multipart/form-data; boundary=x", false},
		{"GraphQL", "Content-Type: application/graphql", false},
		{"our answer's", "Content-Type: application/graphql-response+json", false},
		{"something after JSON", "Content-Type: application/jsonp", false},
		{"JSON as a parameter", "Content-Type: text/plain; application/json", false},
		{"two in one", "Content-Type: application/json, text/plain", false},
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
			if tt.fine {
				r.want(http.StatusOK, `{"data":{"ok":"fine"}}`)
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

// TestMaxBody: at, below and above the cap.
func TestMaxBody(t *testing.T) {
	const most = 1000
	e := start(t, transport.Config{MaxBody: most})
	body := func(size int) string {
		const around = `{"query":"{ ok }","x":""}`
		return around[:len(around)-2] + strings.Repeat("x", size-len(around)) + `"}`
	}
	e.post(body(most-1)).want(http.StatusOK, `{"data":{"ok":"fine"}}`)
	e.post(body(most)).want(http.StatusOK, `{"data":{"ok":"fine"}}`)
	r := e.post(body(most + 1))
	r.want(http.StatusRequestEntityTooLarge,
		`{"errors":[{"message":"the body is too large","extensions":{"code":"LIMIT_EXCEEDED","limit":"bodyBytes","retryable":false,"value":1000}}]}`)
}

// TestOuterCap: a cap that something around the transport sets answers the same.
func TestOuterCap(t *testing.T) {
	e := serve(t, http.MaxBytesHandler(newHandler(t, transport.Config{}), 10))
	e.post(`{"query":"{ ok }"}`).wantError(http.StatusRequestEntityTooLarge, apierror.LimitExceeded)
}
