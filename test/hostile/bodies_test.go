package hostile

import (
	"fmt"
	"net/http"
	"strings"
)

// bodies are not JSON, not valid Unicode, or objects with invalid members: those that could be echoed, that cost much,
// and that TestBody of package transport lacks.
func bodies() []row {
	const document = `"query":"{ deposits { totalCount } }"`
	var rows []row
	for _, tt := range []struct{ name, body string }{
		{"empty", ``},
		{"an unterminated string", `{"query":"` + echo},
		{"no comma", `{"query":"x" "variables":{}}`},
		{"two commas", `{"query":"x",,"variables":{}}`},
		{"no colon", `{"query" "` + echo + `"}`},
		{"an invalid escape", `{"query":"\x41` + echo + `"}`},
		{"a NUL in a string", "{\"query\":\"" + echo + "\x00\"}"},
		{"a NUL after the end", good + "\x00"},
		{"a second value", good + good},
		{"text after the end", good + echo},
		{"a literal in upper case", `{"query":"x","variables":NULL}`},
		{"a number without an integer part", `{"query":"x","variables":{"a":.5}}`},
		{"a number without an exponent", `{"query":"x","variables":{"a":1e}}`},
		{"a form", `query=` + echo},
		{"XML", `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>`},
		{"a document", `{ deposits { totalCount } }`},
		{"UTF-32", "\x00\x00\x00{\x00\x00\x00}"},
		{"a byte that is not UTF-8 in a name", "{\"query\xfe\":\"x\"}"},
		{"a byte that is not UTF-8 in a variable", "{\"query\":\"x\",\"variables\":{\"a\":\"\xc3\"}}"},
		{"beyond Unicode", "{\"query\":\"\xf4\x90\x80\x80\"}"},
		{"surrogates in the wrong order", `{"query":"{ deposits { totalCount } } # \udca9\ud83d"}`},
		{"a lone surrogate in a variable", `{"query":"{ deposits { totalCount } }","variables":{"a":["\ud800"]}}`},
		{"no query", `{"variables":{},"operationName":"` + echo + `"}`},
		{"operationName a list", `{` + document + `,"operationName":["` + echo + `"]}`},
		{"a member of a variable twice", `{` + document + `,"variables":{"a":{"b":1,"b":2}}}`},
		{"an unknown member twice", `{` + document + `,"x":1,"x":2}`},
		{"a huge number", strings.Repeat("9", 100_000)},
		{"true", `true`},
		{"a batch of a thousand", `[` + strings.Repeat(good+",", 999) + good + `]`},
	} {
		rows = append(rows, row{name: tt.name, send: post(tt.body), status: 400, code: badRequest})
	}
	return append(rows,
		row{name: "unknown members", send: post(`{"__proto__":{"a":1},"constructor":{},"id":"` + echo + `",` + document + `}`), status: 200},
		row{
			name:   "a huge number in an unused variable",
			send:   post(`{` + document + `,"variables":{"a":1E400,"b":` + strings.Repeat("9", 100_000) + `}}`),
			status: 200,
		},
	)
}

// bodySizes are too large or too deep, or exactly at the limit.
func bodySizes() []row {
	const document = `{"query":"{ deposits { totalCount } }","variables":{"a":`
	padded := func(size int) string { return good + strings.Repeat(" ", size-len(good)) }
	nested := func(depth int) string {
		return document + strings.Repeat("[", depth) + strings.Repeat("]", depth) + "}}"
	}
	values := func(n int) string { return document + "[" + strings.Repeat("1,", n-1) + "1]}}" }
	const head = "POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer <token>\r\nContent-Type: application/json\r\n"
	closes := []string{`"limit":"bodyBytes"`, `"value":1048576`}
	return []row{
		{name: "at the limit", send: post(padded(1 << 20)), status: 200},
		{name: "a byte above the limit", send: declared(padded(1<<20 + 1)), status: 413, code: limit, limit: "bodyBytes", has: closes},
		{
			name: "a Content-Length above the limit, without a body", send: ends(head + "Content-Length: 1048577\r\n\r\n"), status: 413, code: limit,
			limit: "bodyBytes", has: closes,
		},
		{name: "the maximum Content-Length", send: ends(head + "Content-Length: 9223372036854775807\r\n\r\n"), status: 413, code: limit, limit: "bodyBytes"},
		{
			name:   "chunks above the limit, without an end",
			send:   raw(head + "Transfer-Encoding: chunked\r\n\r\n100001\r\n" + strings.Repeat(" ", 0x100001) + "\r\n"),
			status: 413, code: limit, limit: "bodyBytes", has: closes,
		},
		{name: "at the maximum depth", send: post(nested(62)), status: 200},
		{name: "too deep", send: post(nested(63)), status: 400, code: limit, limit: "jsonDepth"},
		{name: "absurdly deep", send: post(nested(250_000)), status: 400, code: limit, limit: "jsonDepth"},
		{name: "absurdly deep objects", send: post(document + strings.Repeat(`{"a":`, 150_000)), status: 400, code: limit, limit: "jsonDepth"},
		{name: "a deep unknown member", send: post(`{"x":` + strings.Repeat("[", 100_000)), status: 400, code: limit, limit: "jsonDepth"},
		{name: "many values", send: post(values(9_900)), status: 200},
		{name: "too many values", send: post(values(500_000)), status: 400, code: limit, limit: "jsonValues"},
		{name: "too many members", send: post(members(60_000)), status: 400, code: limit, limit: "jsonValues"},
	}
}

// members is a body with n variables that the document does not declare.
func members(n int) string {
	var b strings.Builder
	b.WriteString(`{"query":"{ deposits { totalCount } }","variables":{`)
	for i := range n {
		fmt.Fprintf(&b, `"v%d":1,`, i)
	}
	return strings.TrimSuffix(b.String(), ",") + "}}"
}

// declared posts a body with Expect: 100-continue, so that an early response is not lost with the connection.
func declared(body string) request { return post(body, "Expect: 100-continue") }

// contentTypes are bodies with another content type. The requests have a token, so no web page sent them.
func contentTypes() []row {
	var rows []row
	for _, value := range []string{
		"", "text/plain", "text/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/graphql",
		"application/jsonx", "application/vnd.api+json", "application/json; charset=utf-16", "application/json; charset=latin1",
		"application/json, text/plain", "application/json; charset", ";", "*/*", "application/" + echo,
	} {
		rows = append(rows, row{
			name: "type " + value, send: post(good, "Content-Type: "+value), status: 415, code: badRequest,
			has: []string{"Accept-Post: application/json"},
		})
	}
	for _, value := range []string{"application/json; charset=utf-8", `Application/JSON; Charset="UTF-8"`, "application/json; profile=" + echo} {
		rows = append(rows, row{name: "type " + value, send: post(good, "Content-Type: "+value), status: http.StatusOK})
	}
	for _, value := range []string{"gzip", "deflate", "br", "zstd", "identity, gzip", echo} {
		rows = append(rows, row{
			name: "encoding " + value, send: post(good, "Content-Encoding: "+value), status: 415, code: badRequest,
			has: []string{"Accept-Encoding: identity"},
		})
	}
	return append(rows,
		row{name: "encoding identity", send: post(good, "Content-Encoding: identity"), status: 200},
		row{name: "a gzip bomb", send: post(bomb(), "Content-Encoding: gzip"), status: 415, code: badRequest},
		row{name: "a gzip bomb without Content-Encoding", send: post(bomb()), status: 400, code: badRequest},
	)
}
