package hostile

import (
	"fmt"
	"net/http"
	"strings"
)

// text is a body with the name of its problem.
type text struct{ name, body string }

// posted creates rows for bodies that get the same response.
func posted(status int, code string, texts []text) []row {
	rows := make([]row, len(texts))
	for i, tt := range texts {
		rows[i] = row{name: tt.name, send: post(tt.body), status: status, code: code}
	}
	return rows
}

// malformedBodies are not JSON.
func malformedBodies() []row {
	return posted(400, badRequest, []text{
		{"empty", ``},
		{"space only", "  \n\t "},
		{"a brace", `{`},
		{"an unterminated name", `{"` + echo},
		{"a name without a value", `{"query"`},
		{"a colon without a value", `{"query":`},
		{"an unterminated string", `{"query":"` + echo},
		{"an unterminated object", `{"query":"{ deposits { totalCount } }"`},
		{"only a closing brace", `}`},
		{"a bracket instead of a brace", `{"query":"` + echo + `"]`},
		{"a name without quotes", `{query:"` + echo + `"}`},
		{"single quotes", `{'query':'` + echo + `'}`},
		{"a trailing comma", `{"query":"{ deposits { totalCount } }",}`},
		{"a leading comma", `{,"query":"` + echo + `"}`},
		{"no comma", `{"query":"x" "variables":{}}`},
		{"two commas", `{"query":"x",,"variables":{}}`},
		{"no colon", `{"query" "` + echo + `"}`},
		{"a comment", `{/*` + echo + `*/"query":"x"}`},
		{"a line comment", "{\"query\":\"x\"} // " + echo},
		{"an invalid escape", `{"query":"\x41` + echo + `"}`},
		{"a short escape", `{"query":"\u12"}`},
		{"an escape that is not hexadecimal", `{"query":"\uZZZZ"}`},
		{"a line break in a string", "{\"query\":\"{ deposits\n{ totalCount } }\"}"},
		{"a NUL in a string", "{\"query\":\"" + echo + "\x00\"}"},
		{"a NUL after the end", good + "\x00"},
		{"a second value", good + good},
		{"text after the end", good + echo},
		{"a brace after the end", good + "}"},
		{"half a literal", `{"query":nul}`},
		{"a literal in upper case", `{"query":"x","variables":NULL}`},
		{"NaN", `{"query":"x","variables":{"a":NaN}}`},
		{"Infinity", `{"query":"x","variables":{"a":-Infinity}}`},
		{"a number with a plus", `{"query":"x","variables":{"a":+1}}`},
		{"a number with a leading zero", `{"query":"x","variables":{"a":01}}`},
		{"a number without a fraction", `{"query":"x","variables":{"a":1.}}`},
		{"a number without an integer part", `{"query":"x","variables":{"a":.5}}`},
		{"a number without an exponent", `{"query":"x","variables":{"a":1e}}`},
		{"a hexadecimal number", `{"query":"x","variables":{"a":0x1F}}`},
		{"a minus", `{"query":"x","variables":{"a":-}}`},
		{"a form", `query=` + echo},
		{"XML", `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>`},
		{"a document", `{ deposits { totalCount } }`},
	})
}

// bodyTexts are not valid Unicode, or contain unusual Unicode.
func bodyTexts() []row {
	rows := posted(400, badRequest, []text{
		{"a byte order mark", "\ufeff" + good},
		{"UTF-16", "\xff\xfe{\x00\"\x00q\x00\"\x00:\x001\x00}\x00"},
		{"UTF-32", "\x00\x00\x00{\x00\x00\x00}"},
		{"a byte that is not UTF-8", "{\"query\":\"{ deposits # \xff\\n { totalCount } }\"}"},
		{"a byte that is not UTF-8 in a name", "{\"query\xfe\":\"x\"}"},
		{"a byte that is not UTF-8 in a variable", "{\"query\":\"x\",\"variables\":{\"a\":\"\xc3\"}}"},
		{"an overlong slash", "{\"query\":\"\xc0\xaf\"}"},
		{"a surrogate in UTF-8", "{\"query\":\"\xed\xa0\x80\"}"},
		{"beyond Unicode", "{\"query\":\"\xf4\x90\x80\x80\"}"},
		{"a lone high surrogate", `{"query":"{ deposits { totalCount } } # \ud83d"}`},
		{"a lone low surrogate", `{"query":"{ deposits { totalCount } } # \udca9"}`},
		{"surrogates in the wrong order", `{"query":"{ deposits { totalCount } } # \udca9\ud83d"}`},
		{"half a pair before another escape", `{"query":"# \ud83d\u0041"}`},
		{"a lone surrogate in a variable", `{"query":"{ deposits { totalCount } }","variables":{"a":["\ud800"]}}`},
		{"a lone surrogate in a name", `{"query":"x","\udfff":1}`},
	})
	return append(rows, posted(200, "", []text{
		{"a pair of surrogates in a comment", `{"query":"{ deposits { totalCount } } # \ud83d\udca9"}`},
		{"escapes in names and values", `{"\u0071uery":"\u007b deposits \u007B totalCount } }"}`},
		{"space around the body", " \r\n\t" + good + "\n\n"},
	})...)
}

// bodyMembers are objects with invalid members.
func bodyMembers() []row {
	const document = `"query":"{ deposits { totalCount } }"`
	rows := posted(400, badRequest, []text{
		{"no member", `{}`},
		{"no query", `{"variables":{},"operationName":"` + echo + `"}`},
		{"query in another case", `{"Query":"{ deposits { totalCount } }"}`},
		{"query null", `{"query":null}`},
		{"query a number", `{"query":1}`},
		{"query a boolean", `{"query":true}`},
		{"query a list", `{"query":["{ deposits { totalCount } }"]}`},
		{"query an object", `{"query":{"` + echo + `":1}}`},
		{"query twice", `{` + document + `,` + document + `}`},
		{"query twice, once escaped", `{` + document + `,"qu\u0065ry":"x"}`},
		{"operationName a number", `{` + document + `,"operationName":7}`},
		{"operationName a list", `{` + document + `,"operationName":["` + echo + `"]}`},
		{"variables a list", `{` + document + `,"variables":[]}`},
		{"variables a string", `{` + document + `,"variables":"{}"}`},
		{"variables a number", `{` + document + `,"variables":0}`},
		{"variables false", `{` + document + `,"variables":false}`},
		{"variables twice", `{` + document + `,"variables":{},"variables":{}}`},
		{"a variable twice", `{` + document + `,"variables":{"a":1,"a":2}}`},
		{"a member of a variable twice", `{` + document + `,"variables":{"a":{"b":1,"b":2}}}`},
		{"extensions a list", `{` + document + `,"extensions":[1]}`},
		{"extensions a string", `{` + document + `,"extensions":"` + echo + `"}`},
		{"documentId a number", `{"documentId":1}`},
		{"an unknown member twice", `{` + document + `,"x":1,"x":2}`},
		{"a string", `"` + echo + `"`},
		{"a number", `1`},
		{"a huge number", strings.Repeat("9", 100_000)},
		{"null", `null`},
		{"true", `true`},
		{"an empty batch", `[]`},
		{"a batch", `[` + good + `,` + good + `]`},
		{"a batch of a thousand", `[` + strings.Repeat(good+",", 999) + good + `]`},
	})
	return append(rows, posted(200, "", []text{
		{"null for optional members", `{` + document + `,"variables":null,"operationName":null,"extensions":null,"documentId":null}`},
		{"unknown members", `{"__proto__":{"a":1},"constructor":{},"id":"` + echo + `",` + document + `}`},
		{"a huge number in an unused variable", `{` + document + `,"variables":{"a":1E400,"b":` + strings.Repeat("9", 100_000) + `}}`},
		{"an empty operationName", `{` + document + `,"operationName":""}`},
	})...)
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
