package hostile

import (
	"strings"
	"testing"
)

// challenge is in every response that refuses a token.
const challenge = `Bearer realm="pixgraph"`

// authorizations are headers that do not contain exactly one bearer token. In both modes of auth the gateway makes no
// upstream call for them. TestAuthorizationHeader of package auth has more.
func authorizations() []row {
	var rows []row
	for _, tt := range []struct{ name, value string }{
		{"no header", ""}, {"Digest", `Digest username="` + echo + `"`}, {"another scheme", "Token <token>"}, {"a colon", "Bearer: <token>"},
		{"two tokens with a comma", "Bearer <token>, Bearer <token>"}, {"followed by another scheme", "Bearer <token>, Basic " + echo},
		{"a semicolon", "Bearer <token>;" + echo}, {"a parameter", "Bearer token=\"<token>\""}, {"not ASCII", "Bearer \u00e9" + echo},
		{"no-break space", "Bearer\u00a0<token>"}, {"an escape", "Bearer%20<token>"}, {"a zero-width space", "Bearer <token>\u200b"},
		{"50 KB", "Bearer " + strings.Repeat("a.", 25_000)}, {"brackets", "Bearer <" + echo + ">"},
	} {
		rows = append(rows, row{name: tt.name, send: post(good, "Authorization: "+tt.value), status: 401, code: refused, has: []string{challenge}})
	}
	const rest = "Content-Type: application/json\r\nContent-Length: 39\r\n\r\n" + good
	head := "POST /graphql HTTP/1.1\r\nHost: x\r\n"
	for _, tt := range []struct{ name, lines string }{
		{"twice", "Authorization: Bearer <token>\r\nAuthorization: Bearer <token>\r\n"}, {"twice, once empty", "Authorization:\r\nAuthorization: Bearer <token>\r\n"},
		{"twice, in different case", "authorization: Bearer <token>\r\nAUTHORIZATION: Basic " + echo + "\r\n"},
		{"folded over lines", "Authorization: Bearer <token>\r\n X-Injected: " + echo + "\r\n"},
		{"in another header", "X-Authorization: Bearer <token>\r\nProxy-Authorization: Bearer <token>\r\nX-Forwarded-Authorization: Bearer <token>\r\n"},
		{"in a cookie", "Cookie: Authorization=Bearer%20<token>; token=<token>\r\n"},
	} {
		rows = append(rows, row{name: tt.name, send: raw(head + tt.lines + rest), status: 401, code: refused, has: []string{challenge}})
	}
	for _, tt := range []struct{ name, lines string }{
		{"a CR inside", "Authorization: Bearer <token>\rX: y\r\n"}, {"a NUL inside", "Authorization: Bearer <token>\x00\r\n"},
		{"a space before the colon", "Authorization : Bearer <token>\r\n"},
	} {
		rows = append(rows, row{name: tt.name, send: ends(head + tt.lines + rest), status: 400, plain: true})
	}
	return append(rows,
		row{
			name: "in the URL", send: method("POST", "/graphql?access_token=<token>", good, "Content-Type: application/json", "Authorization:"), status: 401,
			code: refused, has: []string{challenge},
		},
		row{name: "in the body", send: post(`{"access_token":"<token>",`+good[1:], "Authorization:"), status: 401, code: refused},
		row{name: "in lower case", send: post(good, "Authorization: bearer <token>"), status: 200},
		row{name: "in upper case, with spaces", send: post(good, "Authorization: BEARER    <token>"), status: 200},
		row{name: "a header in lower case", send: raw(head + "authorization: Bearer <token>\r\n" + rest), status: 200},
	)
}

// forwarding tests auth_mode forward: an invalid token is refused, and of a request only its token, its id and its
// trace context are sent upstream.
func forwarding(t *testing.T, shared *gateway) {
	g := newGateway(t, shared.binary, "--auth-mode=forward", "--auth-issuer=", "--auth-audience=")
	g.wantRows(t, authorizations())
	g.wantRows(t, simple())
	g.wantRows(t, []row{
		{name: "an opaque token", send: post(good, "Authorization: Bearer opaque"), status: 200, code: refused, partial: true, calls: true},
		{
			name: "with many other headers",
			send: post(
				good, "Cookie: a="+echo, "X-Forwarded-For: "+echo, "X-Api-Key: "+echo, "Traceparent: "+echo, "Tracestate: "+echo, "X-Request-Id: "+echo+"\u00e9",
				"Range: bytes=0-1", "If-None-Match: *", "Accept-Language: "+echo, "User-Agent: "+echo,
			),
			status: 200,
		},
	})
	calls := g.box.Calls()
	for _, call := range calls {
		for name, values := range call.Header {
			switch name {
			case "Accept", "Accept-Encoding", "Authorization", "User-Agent", "X-Request-Id", "Traceparent":
			default:
				t.Errorf("%s was sent upstream", name)
			}
			if strings.Contains(strings.Join(values, ""), echo) {
				t.Errorf("%s was sent upstream unchanged", name)
			}
		}
	}
	g.wantCleanEnd(t)
}
