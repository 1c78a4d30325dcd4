package hostile

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// simple are requests that a page of another site can make a browser send without asking. They have no token, since a
// browser does not add one, so they are refused, whatever their method and form.
func simple() []row {
	const bare = "Authorization:"
	document := "query=" + escape("{ deposits { totalCount } }")
	var rows []row
	for _, value := range []string{
		"", "text/plain", "text/plain; charset=utf-8", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
		"text/plain; application/json", "text/plain, application/json", "application/json, text/plain", "application/json; charset=utf-16",
	} {
		rows = append(rows, row{
			name: "a POST of " + value, send: post(good, bare, "Content-Type: "+value, "Origin: https://evil.example", "Cookie: session="+echo),
			status: 401, code: refused, has: []string{challenge}, lacks: []string{"Access-Control"},
		})
	}
	for _, tt := range []struct {
		name string
		send request
	}{
		{"a form", post(url.Values{"query": {"{ deposits { totalCount } }"}}.Encode(), bare, "Content-Type: application/x-www-form-urlencoded")},
		{"a form that is JSON", post(good[:len(good)-1]+`,"x=":"y"}`, bare, "Content-Type: text/plain")},
		{
			"an upload",
			post("--x\r\nContent-Disposition: form-data; name=\"operations\"\r\n\r\n"+good+
				"\r\n--x\r\nContent-Disposition: form-data; name=\"map\"\r\n\r\n{}\r\n--x--\r\n", bare, "Content-Type: multipart/form-data; boundary=x"),
		},
	} {
		rows = append(rows, row{name: tt.name, send: tt.send, status: 401, code: refused, has: []string{challenge}, lacks: []string{"Access-Control"}})
	}
	for _, tt := range []struct {
		name string
		send request
	}{
		{"a link", get(document, bare)},
		{"an image", get(document, bare, "Accept: image/webp,*/*", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Site: cross-site")},
		{"a script", get(document+"&callback="+echo, bare, "Accept: */*")},
		{"a fetch without cors", get(document, bare, "Origin: null", "Accept-Language: pt", "Cookie: session="+echo)},
		{"a GET with a form's content type", get(document, bare, "Content-Type: text/plain")},
		{"a GET with an empty header", raw("GET /graphql?" + document + " HTTP/1.1\r\nHost: x\r\nGraphQL-Require-Preflight:\r\nAuthorization:\r\n\r\n")},
		{"a GET with a preflight header", get(document, bare, "GraphQL-Require-Preflight: 1")},
	} {
		rows = append(rows, row{name: tt.name, send: tt.send, status: 401, code: refused, lacks: []string{"Access-Control"}})
	}
	return append(rows,
		row{name: "a HEAD", send: method(http.MethodHead, "/graphql?"+document, "", bare), status: 401, plain: true},
		row{name: "JSON without a token", send: post(good, bare), status: 401, code: refused, has: []string{challenge}},
		row{name: "a token in a cookie", send: post(good, bare, "Cookie: token=<token>; Authorization=Bearer <token>"), status: 401, code: refused},
		row{name: "cookies and a token", send: post(good, "Cookie: session="+echo), status: 200, lacks: []string{"Vary: Cookie"}},
		row{name: "an Origin header", send: post(good, "Origin: https://evil.example"), status: 200, lacks: []string{"Access-Control", "evil"}},
		row{name: "a preflight", send: preflight("https://evil.example"), status: 204, plain: true, lacks: []string{"Access-Control", "evil"}},
	)
}

// preflight is a browser's CORS preflight for a request with JSON and a token.
func preflight(origin string) request {
	return method(http.MethodOptions, "/graphql", "", "Authorization:", "Origin: "+origin,
		"Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization,content-type", "Access-Control-Request-Private-Network: true")
}

// pages are responses that are not GraphQL. They have the same security headers.
func pages() []row {
	headers := []string{
		"X-Content-Type-Options: nosniff", "X-Frame-Options: DENY", "Referrer-Policy: no-referrer", "Content-Security-Policy: ",
		"Cross-Origin-Resource-Policy: same-origin",
	}
	return []row{
		{name: "the schema", send: head("/schema.graphql"), status: 200, plain: true, has: headers},
		{name: "the console", send: head("/"), status: 200, plain: true, has: headers},
		{name: "an unknown path", send: method(http.MethodGet, "/"+echo, ""), status: 404, code: badRequest, has: headers},
		{name: "a wrong method", send: method(http.MethodDelete, "/schema.graphql", ""), status: 405, code: badRequest, has: headers},
		{name: "the console with a script in its URL", send: head("/?query=</script><script>" + echo), status: 200, plain: true, has: headers},
	}
}

// head requests only the header of a page.
func head(target string) request { return method(http.MethodHead, target, "") }

// restricted is a gateway without schema and console, with CORS for one origin.
func restricted(t *testing.T, shared *gateway) {
	const listed = "https://app.example.com"
	g := newGateway(t, shared.binary, "--cors-origins="+listed, "--introspection=off", "--console=off")
	allowed := []string{"Access-Control-Allow-Origin: " + listed, "Vary: Origin"}
	rows := []row{
		{name: "the listed origin", send: post(good, "Origin: "+listed), status: 200, has: allowed, lacks: []string{"Allow-Credentials"}},
		{name: "its errors", send: post(`{`, "Origin: "+listed), status: 400, code: badRequest, has: allowed},
		{name: "its refusals", send: post(good, "Origin: "+listed, "Authorization: Bearer x"), status: 401, code: refused, has: allowed},
		{
			name: "its preflight", send: preflight(listed), status: 204, plain: true,
			has: append(allowed, "Access-Control-Allow-Methods: GET, HEAD, POST"), lacks: []string{"Allow-Credentials", "Private-Network"},
		},
		{name: "its forms", send: post(good, "Origin: "+listed, "Authorization:", "Content-Type: text/plain"), status: 401, code: refused, has: allowed},
		{name: "its forms with a token", send: post(good, "Origin: "+listed, "Content-Type: text/plain"), status: 415, code: badRequest, has: allowed},
		{
			name: "two origins", status: 200, lacks: []string{"Access-Control"},
			send: raw(strings.Replace(start, "Host: x", "Host: x\r\nOrigin: "+listed+"\r\nOrigin: https://evil.example", 1) +
				"Content-Length: 39\r\n\r\n" + good),
		},
		{name: "the schema", send: method(http.MethodGet, "/schema.graphql", ""), status: 404, code: badRequest},
		{name: "the console", send: method(http.MethodGet, "/", ""), status: 404, code: badRequest},
		{name: "introspection", send: query("{ __schema { types { name } } }"), status: 200, code: forbidden, partial: true, lacks: []string{"Deposit"}},
		{
			name: "introspection of a type", send: query(`{ __type(name: "Deposit") { fields { name } } }`), status: 200, code: forbidden, partial: true,
			lacks: []string{"acquirer"},
		},
		{
			name: "introspection in a fragment", send: query(`{ ...f } fragment f on Query { a: __schema { queryType { name } } }`), status: 200,
			code: forbidden, partial: true,
		},
		{name: "a misspelt name", send: query("{ deposit { nod } }"), status: 400, code: invalid, lacks: []string{"deposits", "nodes"}},
		{name: "a misspelt argument", send: query("{ deposits(pag: 1) { totalCount } }"), status: 400, code: invalid, lacks: []string{"perPage"}},
		{name: "a misspelt value", send: query("{ deposits(filter: {status: PAI}) { totalCount } }"), status: 400, code: invalid, lacks: []string{"PAID"}},
	}
	for _, origin := range []string{
		"https://evil.example", "null", "http://app.example.com", "https://app.example.com:8443", "https://APP.example.com", "https://app.example.com.evil.example",
		"https://evil-app.example.com", "https://x.app.example.com", "https://app.example.com/", "https://app.example.com@evil.example", "*",
		listed + " " + listed, echo,
	} {
		rows = append(rows,
			row{name: "origin " + origin, send: post(good, "Origin: "+origin), status: 200, has: []string{"Vary: Origin"}, lacks: []string{"Access-Control", "evil"}},
			row{
				name: "preflight of " + origin, send: preflight(origin), status: 204, plain: true, has: []string{"Vary: Origin"},
				lacks: []string{"Access-Control-", "evil"},
			},
		)
	}
	for i := range rows {
		if rows[i].name[:4] == "pref" { // the response to a preflight has Vary with the request's CORS headers
			rows[i].lacks = []string{"Access-Control-Allow", "evil"}
		}
	}
	g.wantRows(t, rows)
	g.wantCleanEnd(t)
}
