package hostile

import (
	"fmt"
	"net/http"
	"strings"
)

// text is a body and what is wrong with it.
type text struct{ name, body string }

// posted makes rows of bodies that are answered alike.
func posted(status int, code string, texts []text) []row {
	rows := make([]row, len(texts))
	for i, tt := range texts {
		rows[i] = row{name: tt.name, send: post(tt.body), status: status, code: code}
	}
	return rows
}

// malformedBodies are no JSON.
func malformedBodies() []row {
	return posted(400, badRequest, []text{
		{"empty", ``},
		{"space only", "  \n\t "},
		{"a brace", `{`},
		{"a name without an end", `{"` + echo},
		{"a name without a value", `{"query"`},
		{"a colon without a value", `{"query":`},
		{"a text without an end", `{"query":"` + echo},
		{"an object without an end", `{"query":"{ deposits { totalCount } }"`},
		{"a closing brace alone", `}`},
		{"a bracket instead of a brace", `{"query":"` + echo + `"]`},
		{"a name without quotes", `{query:"` + echo + `"}`},
		{"single quotes", `{'query':'` + echo + `'}`},
		{"a comma at the end", `{"query":"{ deposits { totalCount } }",}`},
		{"a comma at the beginning", `{,"query":"` + echo + `"}`},
		{"no comma", `{"query":"x" "variables":{}}`},
		{"two commas", `{"query":"x",,"variables":{}}`},
		{"no colon", `{"query" "` + echo + `"}`},
		{"a comment", `{/*` + echo + `*/"query":"x"}`},
		{"a comment in a line", "{\"query\":\"x\"} // " + echo},
		{"a bad escape", `{"query":"\x41` + echo + `"}`},
		{"a short escape", `{"query":"\u12"}`},
		{"an escape of no hexadecimal", `{"query":"\uZZZZ"}`},
		{"a line break in a text", "{\"query\":\"{ deposits\n{ totalCount } }\"}"},
		{"a NUL in a text", "{\"query\":\"" + echo + "\x00\"}"},
		{"a NUL after the end", good + "\x00"},
		{"a second value", good + good},
		{"text after the end", good + echo},
		{"a brace after the end", good + "}"},
		{"half a literal", `{"query":nul}`},
		{"a literal in capitals", `{"query":"x","variables":NULL}`},
		{"NaN", `{"query":"x","variables":{"a":NaN}}`},
		{"Infinity", `{"query":"x","variables":{"a":-Infinity}}`},
		{"a number with a plus", `{"query":"x","variables":{"a":+1}}`},
		{"a number with a zero before", `{"query":"x","variables":{"a":01}}`},
		{"a number without a fraction", `{"query":"x","variables":{"a":1.}}`},
		{"a number without a whole", `{"query":"x","variables":{"a":.5}}`},
		{"a number without an exponent", `{"query":"x","variables":{"a":1e}}`},
		{"a hexadecimal number", `{"query":"x","variables":{"a":0x1F}}`},
		{"a minus", `{"query":"x","variables":{"a":-}}`},
		{"a form", `query=` + echo},
		{"XML", `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>`},
		{"a document", `{ deposits { totalCount } }`},
	})
}

// bodyTexts are no Unicode, or not only.
func bodyTexts() []row {
	rows := posted(400, badRequest, []text{
		{"a byte order mark", "\ufeff" + good},
		{"UTF-16", "\xff\xfe{\x00\"\x00q\x00\"\x00:\x001\x00}\x00"},
		{"UTF-32", "\x00\x00\x00{\x00\x00\x00}"},
		{"a byte of no UTF-8", "{\"query\":\"{ deposits # \xff\\n { totalCount } }\"}"},
		{"a byte of no UTF-8 in a name", "{\"query\xfe\":\"x\"}"},
		{"a byte of no UTF-8 in a variable", "{\"query\":\"x\",\"variables\":{\"a\":\"\xc3\"}}"},
		{"an overlong slash", "{\"query\":\"\xc0\xaf\"}"},
		{"a surrogate in UTF-8", "{\"query\":\"\xed\xa0\x80\"}"},
		{"beyond Unicode", "{\"query\":\"\xf4\x90\x80\x80\"}"},
		{"a lone high surrogate", `{"query":"{ deposits { totalCount } } # \ud83d"}`},
		{"a lone low surrogate", `{"query":"{ deposits { totalCount } } # \udca9"}`},
		{"surrogates the wrong way round", `{"query":"{ deposits { totalCount } } # \udca9\ud83d"}`},
		{"half a pair before another escape", `{"query":"# \ud83d\u0041"}`},
		{"a lone surrogate in a variable", `{"query":"{ deposits { totalCount } }","variables":{"a":["\ud800"]}}`},
		{"a lone surrogate in a name", `{"query":"x","\udfff":1}`},
	})
	return append(rows, posted(200, "", []text{
		{"a pair of surrogates in a comment", `{"query":"{ deposits { totalCount } } # \ud83d\udca9"}`},
		{"escapes for everything", `{"\u0071uery":"\u007b deposits \u007B totalCount } }"}`},
		{"space all around", " \r\n\t" + good + "\n\n"},
	})...)
}

// bodyMembers are objects with the wrong members.
func bodyMembers() []row {
	const document = `"query":"{ deposits { totalCount } }"`
	rows := posted(400, badRequest, []text{
		{"no member", `{}`},
		{"no query", `{"variables":{},"operationName":"` + echo + `"}`},
		{"query in capitals", `{"Query":"{ deposits { totalCount } }"}`},
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
		{"variables a text", `{` + document + `,"variables":"{}"}`},
		{"variables a number", `{` + document + `,"variables":0}`},
		{"variables false", `{` + document + `,"variables":false}`},
		{"variables twice", `{` + document + `,"variables":{},"variables":{}}`},
		{"a variable twice", `{` + document + `,"variables":{"a":1,"a":2}}`},
		{"a member of a variable twice", `{` + document + `,"variables":{"a":{"b":1,"b":2}}}`},
		{"extensions a list", `{` + document + `,"extensions":[1]}`},
		{"extensions a text", `{` + document + `,"extensions":"` + echo + `"}`},
		{"documentId a number", `{"documentId":1}`},
		{"an unknown member twice", `{` + document + `,"x":1,"x":2}`},
		{"a text", `"` + echo + `"`},
		{"a number", `1`},
		{"a huge number", strings.Repeat("9", 100_000)},
		{"null", `null`},
		{"true", `true`},
		{"an empty batch", `[]`},
		{"a batch", `[` + good + `,` + good + `]`},
		{"a batch of a thousand", `[` + strings.Repeat(good+",", 999) + good + `]`},
	})
	return append(rows, posted(200, "", []text{
		{"null for what may be missing", `{` + document + `,"variables":null,"operationName":null,"extensions":null,"documentId":null}`},
		{"unknown members", `{"__proto__":{"a":1},"constructor":{},"id":"` + echo + `",` + document + `}`},
		{"a huge number that nobody reads", `{` + document + `,"variables":{"a":1E400,"b":` + strings.Repeat("9", 100_000) + `}}`},
		{"an operationName of no letters", `{` + document + `,"operationName":""}`},
	})...)
}

// bodySizes are too large, too deep, or just not.
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
		{name: "as large as may be", send: post(padded(1 << 20)), status: 200},
		{name: "a byte too large", send: declared(padded(1<<20 + 1)), status: 413, code: limit, limit: "bodyBytes", has: closes},
		{name: "announced too large and never sent", send: ends(head + "Content-Length: 1048577\r\n\r\n"), status: 413, code: limit, limit: "bodyBytes", has: closes},
		{name: "announced as large as can be", send: ends(head + "Content-Length: 9223372036854775807\r\n\r\n"), status: 413, code: limit, limit: "bodyBytes"},
		{name: "too large in chunks, without an end", send: raw(head + "Transfer-Encoding: chunked\r\n\r\n100001\r\n" + strings.Repeat(" ", 0x100001) + "\r\n"), status: 413, code: limit, limit: "bodyBytes", has: closes},
		{name: "as deep as may be", send: post(nested(62)), status: 200},
		{name: "too deep", send: post(nested(63)), status: 400, code: limit, limit: "jsonDepth"},
		{name: "absurdly deep", send: post(nested(250_000)), status: 400, code: limit, limit: "jsonDepth"},
		{name: "absurdly deep objects", send: post(document + strings.Repeat(`{"a":`, 150_000)), status: 400, code: limit, limit: "jsonDepth"},
		{name: "a deep member that nobody reads", send: post(`{"x":` + strings.Repeat("[", 100_000)), status: 400, code: limit, limit: "jsonDepth"},
		{name: "many values", send: post(values(9_900)), status: 200},
		{name: "too many values", send: post(values(500_000)), status: 400, code: limit, limit: "jsonValues"},
		{name: "too many members", send: post(members(60_000)), status: 400, code: limit, limit: "jsonValues"},
	}
}

// members is a body with so many variables that the document does not have.
func members(n int) string {
	var b strings.Builder
	b.WriteString(`{"query":"{ deposits { totalCount } }","variables":{`)
	for i := range n {
		fmt.Fprintf(&b, `"v%d":1,`, i)
	}
	return strings.TrimSuffix(b.String(), ",") + "}}"
}

// declared posts a body and waits to be asked for it, so that an early answer is not lost with the connection.
func declared(body string) request { return post(body, "Expect: 100-continue") }

// contentTypes are bodies that say that they are something else. They carry a token, so no browser sent them.
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
		row{name: "a gzip bomb that says nothing", send: post(bomb()), status: 400, code: badRequest},
	)
}
