package hostile

import (
	"net/http"
	"strings"
)

// methods are methods that GraphQL does not support, and GET and POST with unsupported operations.
func methods() []row {
	var rows []row
	for _, name := range []string{"PUT", "DELETE", "PATCH", "TRACE", "PROPFIND", "QUERY", "post", "Get", echo} {
		rows = append(rows, row{
			name: "method " + name, send: method(name, "/graphql", good, "Content-Type: application/json"), status: 405,
			code: badRequest, has: []string{"Allow: GET, HEAD, POST"},
		})
	}
	const mutation, subscription = `mutation { x }`, `subscription { deposits { totalCount } }`
	return append(rows,
		row{
			name: "HEAD", send: method(http.MethodHead, "/graphql?query="+escape("{ deposits { totalCount } }"), ""),
			status: 200, plain: true, calls: true, has: []string{"Content-Type: application/graphql-response+json", "Etag: W/"},
		},
		row{
			name: "OPTIONS", send: method(http.MethodOptions, "/graphql", ""),
			status: 204, plain: true, has: []string{"Allow: GET, HEAD, POST, OPTIONS"}, lacks: []string{"Access-Control"},
		},
		row{name: "CONNECT", send: raw("CONNECT <host> HTTP/1.1\r\nHost: <host>\r\nAuthorization: Bearer <token>\r\n\r\n"), status: 405, plain: true},
		row{
			name: "CONNECT of the path", send: raw("CONNECT /graphql HTTP/1.1\r\nHost: <host>\r\nAuthorization: Bearer <token>\r\n\r\n"),
			status: 405, code: badRequest,
		},
		row{name: "a mutation over GET", send: get("query=" + escape(mutation)), status: 400, code: invalid},
		row{name: "a mutation", send: query(mutation), status: 400, code: invalid},
		row{name: "a subscription over GET", send: get("query=" + escape(subscription)), status: 400, code: badRequest},
		row{name: "a subscription", send: query(subscription), status: 400, code: badRequest},
		row{name: "a method in a header", send: post(good, "X-HTTP-Method-Override: DELETE"), status: 200},
		row{
			name: "a websocket", status: 400, code: badRequest,
			send: get("", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="),
		},
		row{name: "an event stream", send: post(good, "Accept: text/event-stream"), status: 200, calls: true, plain: true, has: []string{"event: complete"}},
	)
}

// paths are paths without a resource, or without GraphQL.
func paths() []row {
	var rows []row
	for _, path := range []string{
		"/graphql/x", "/GraphQL", "/graphql;x=1", "/graphql%2f", "/graphql%00", "/graphql%20", "/graphql.json", "/graphiql",
		"/healthz", "/readyz", "/metrics", "/debug/pprof/", "/debug/vars", "/sandbox",
		"/sandbox/faults", "/sandbox/token", "/.git/config", "/.well-known/openid-configuration",
		"/%2e%2e/%2e%2e/etc/passwd", "/" + echo, "/" + strings.Repeat("a/", 10_000),
	} {
		rows = append(rows, row{
			name: "POST " + path[:min(len(path), 40)], send: method(http.MethodPost, path, good, "Content-Type: application/json"), status: 404, code: badRequest,
		})
	}
	for _, path := range []string{"//graphql", "/graphql/..", "/x/../graphql", "/./graphql", "//evil.example/graphql", "/graphql/../%2f/evil.example"} {
		rows = append(rows, row{
			name: "GET " + path, send: raw("GET " + path + "?query=" + echo + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer <token>\r\n\r\n"), status: 404,
			code: badRequest, lacks: []string{"Location"},
		})
	}
	return append(rows,
		row{name: "an escaped path", send: method(http.MethodPost, "/%67raph%71l", good, "Content-Type: application/json"), status: 200},
		row{name: "the schema", send: method(http.MethodPost, "/schema.graphql", ""), status: 405, code: badRequest},
		row{name: "the console", send: method(http.MethodPost, "/", ""), status: 405, code: badRequest},
	)
}

// accepts are values of Accept.
func accepts() []row {
	var rows []row
	for _, value := range []string{
		"text/html", ";;;,,,; ,", "application/xml", "image/*", "application/json;q=0", "*/*;q=0",
		"application/graphql-response+json;q=0.0, application/json;q=0.000",
		"application/json; charset=utf-16", "application/json;profile=x", echo, "application/jsonp", "text/html;q=1, application/json;q=2",
		"application/json;q=" + echo, strings.Repeat("a/b, ", 10_000) + "c/d", `"` + strings.Repeat("a", 10_000), strings.Repeat("text/x;", 5_000),
	} {
		rows = append(rows, row{name: "Accept " + value[:min(len(value), 60)], send: post(good, "Accept: "+value), status: 406, code: badRequest})
	}
	for value, want := range map[string]string{
		"*/*":                                 "application/json",
		"application/*":                       "application/json",
		", ,,":                                "application/json",
		"text/html, application/json;q=0.001": "application/json",
		"application/graphql-response+json;q=0.1, application/json;q=0.9": "application/json",
		"application/graphql-response+json, application/json":             "application/graphql-response+json",
		"APPLICATION/JSON": "application/json",
		strings.Repeat("a/b, ", 10_000) + "application/graphql-response+json; charset=UTF-8": "application/graphql-response+json",
	} {
		rows = append(rows, row{
			name: "Accept " + value[:min(len(value), 60)], send: post(good, "Accept: "+value), status: 200,
			has: []string{"Content-Type: " + want + "; charset=utf-8"},
		})
	}
	return append(rows,
		row{name: "no Accept", send: post(`{"query":"{ x"}`, "Accept:"), status: 200, code: parse},
		row{
			name: "Accept in two lines", status: 200,
			send: raw("POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer <token>\r\nContent-Type: application/json\r\n" +
				"Accept: text/html\r\nAccept: application/json\r\nContent-Length: 39\r\n\r\n" + good),
		},
		row{name: "no acceptable coding", send: post(good, "Accept-Encoding: identity;q=0, *;q=0"), status: 200},
		row{name: "invalid codings", send: post(good, "Accept-Encoding: "+strings.Repeat(echo+";q=9,", 3_000)), status: 200},
	)
}

// urls are GET requests with invalid parameters.
func urls() []row {
	document := "query=" + escape("{ deposits { totalCount } }")
	var rows []row
	for _, tt := range []struct{ name, query string }{
		{"query twice, once empty", document + "&query="},
		{"a thousand queries", strings.Repeat(document+"&", 1_000)},
		{"variables not JSON", document + "&variables={" + echo},
		{"variables with trailing data", document + "&variables={}{}"},
		{"extensions not JSON", document + "&extensions=" + echo},
		{"half an escape", document + "&x=%"},
		{"an overlong slash", "query=%c0%af"},
		{"a surrogate in UTF-8", "query=%ed%a0%80"},
	} {
		rows = append(rows, row{name: tt.name, send: get(tt.query), status: 400, code: badRequest})
	}
	return append(rows,
		row{name: "valid", send: get(document), status: 200},
		row{name: "valid, with empty parameters", send: get(document + "&variables=&extensions=&operationName=&x=" + echo), status: 200},
		row{name: "a GET with a body", send: method(http.MethodGet, "/graphql?"+document, `{"query":"`+echo+`"}`), status: 200},
		row{name: "a POST with parameters", send: method(http.MethodPost, "/graphql?query="+echo, good, "Content-Type: application/json"), status: 200},
		row{name: "an empty query", send: get("query="), status: 400, code: invalid},
		row{name: "a NUL", send: get("query=%00" + echo), status: 400, code: parse},
		row{name: "an unknown operationName", send: get(document + "&operationName=" + echo), status: 400, code: invalid},
		row{name: "variables too deep", send: get(document + "&variables={%22a%22:" + strings.Repeat("[", 20_000)), status: 400, code: limit, limit: "jsonDepth"},
		row{name: "a document of 50 KB", send: get("query=" + strings.Repeat("a", 50_000)), status: 400, code: limit, limit: "bytes"},
		row{name: "a URL above the header limit", send: get("query=" + strings.Repeat("a", 100_000)), status: 431, plain: true},
	)
}
