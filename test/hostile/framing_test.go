package hostile

import (
	"bufio"
	"strings"
	"testing"
)

// start is the request line and the header of a POST, without the framing of its body.
const start = "POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer <token>\r\nContent-Type: application/json\r\n"

// inner is a request that follows the body of another one: it must never get a response.
const inner = "GET /graphql?query=%7Bdeposits%7BtotalCount%7D%7D HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer <token>\r\n\r\n"

// framing is about the end of a body. Each request is refused, or interpreted unambiguously and the connection closed.
func framing() []row {
	const chunked = "Transfer-Encoding: chunked\r\n\r\n"
	one := "27\r\n" + good + "\r\n0\r\n\r\n" // 0x27 bytes: the body as one chunk
	var rows []row
	for _, tt := range []struct{ name, text string }{
		{"two lengths", "Content-Length: 39\r\nContent-Length: 0\r\n\r\n" + good + inner},
		{"two lengths in a line", "Content-Length: 39, 0\r\n\r\n" + good + inner},
		{"a length with a plus", "Content-Length: +39\r\n\r\n" + good},
		{"a negative length", "Content-Length: -1\r\n\r\n" + good},
		{"a hexadecimal length", "Content-Length: 0x27\r\n\r\n" + good},
		{"a length with an exponent", "Content-Length: 3e1\r\n\r\n" + good},
		{"a length of 2^64", "Content-Length: 18446744073709551655\r\n\r\n" + good},
		{"no digits in a length", "Content-Length: \r\n\r\n" + good},
		{"space before a colon", "Transfer-Encoding : chunked\r\nContent-Length: 39\r\n\r\n" + one},
		{"a header line that begins with a tab", "\tTransfer-Encoding: chunked\r\n X: \r\n \x00\r\n\r\n"},
		{"a NUL in a header", "X: a\x00b\r\nContent-Length: 39\r\n\r\n" + good},
		{"a CR in a header", "X: a\rTransfer-Encoding: chunked\r\nContent-Length: 39\r\n\r\n" + good},
		{"a name with a space", "X Y: 1\r\nContent-Length: 39\r\n\r\n" + good},
		{"a name not in ASCII", "X\xc3\xa9: 1\r\nContent-Length: 39\r\n\r\n" + good},
		{"no name", ": 1\r\nContent-Length: 39\r\n\r\n" + good},
		{"no colon", "Content-Length 39\r\n\r\n" + good},
		{"two hosts", "Host: y\r\nContent-Length: 39\r\n\r\n" + good},
	} {
		rows = append(rows, row{name: tt.name, send: ends(start + tt.text), status: 400, plain: true})
	}
	for _, coding := range []string{"xchunked", "gzip, chunked", "chunked, chunked", "chunked, identity", "identity", "\"chunked\"", "gzip"} {
		rows = append(rows, row{
			name: "coding " + coding, send: ends(start + "Transfer-Encoding: " + coding + "\r\n\r\n" + one), status: 501, plain: true,
		})
	}
	for _, tt := range []struct{ name, body string }{
		{"a negative chunk size", "-1\r\n" + good + "\r\n0\r\n\r\n"},
		{"a chunk size with a prefix", "0x27\r\n" + good + "\r\n0\r\n\r\n"},
		{"a chunk size of 17 digits", "00000000000000027\r\n" + good + "\r\n0\r\n\r\n"},
		{"a chunk size above 64 bits", "fffffffffffffffff\r\n" + good},
		{"a chunk without a size", "\r\n" + good + "\r\n0\r\n\r\n"},
		{"a chunk that is shorter than its size", "28\r\n" + good + "\r\n0\r\n\r\n"},
		{"a chunk that is longer than its size", "26\r\n" + good + "\r\n0\r\n\r\n"},
		{"an unterminated chunk extension", "27;" + strings.Repeat("x", 5_000) + "\r\n" + good + "\r\n0\r\n\r\n"},
		{"an invalid chunk", echo + "\r\n\r\n"},
	} {
		rows = append(rows, row{name: tt.name, send: raw(start + chunked + tt.body), status: 400, code: badRequest})
	}
	return append(rows,
		row{name: "a coding and a length", send: ends(start + "Content-Length: 4\r\n" + chunked + one + inner), status: 200},
		row{
			name: "a length and a coding, followed by a request",
			send: ends(start + "Transfer-Encoding: chunked\r\nContent-Length: 39\r\n\r\n" + one + inner), status: 200,
		},
		row{name: "a coding in HTTP/1.0", send: ends(strings.Replace(start, "1.1", "1.0", 1) + "Content-Length: 39\r\n" + chunked + one), status: 400, plain: true},
		row{name: "the same length twice", send: raw(start + "Content-Length: 39\r\nContent-Length: 39\r\n\r\n" + good), status: 200},
		row{
			name: "chunks with extensions and a trailer",
			send: raw(start + chunked + "27;a=" + echo + "\r\n" + good + "\r\n0\r\nAuthorization: Bearer x\r\n\r\n"), status: 200,
		},
		row{name: "a body that ends early", send: halfClosed(start + "Content-Length: 100\r\n\r\n" + good), status: 400, code: badRequest},
		row{name: "chunks that end early", send: halfClosed(start + chunked + "27\r\n" + good), status: 400, code: badRequest},
	)
}

// lines is about the request line and the header.
func lines() []row {
	const rest = "Host: x\r\nAuthorization: Bearer <token>\r\nContent-Type: application/json\r\nContent-Length: 39\r\n\r\n" + good
	big := "X-Big: " + strings.Repeat("b", 1000) + "\r\n"
	rows := []row{
		{name: "an absolute URI", send: raw("POST http://evil.example/graphql HTTP/1.1\r\n" + rest), status: 200, lacks: []string{"evil"}},
		{name: "HTTP/1.0 without a host", send: raw("POST /graphql HTTP/1.0\r\n" + strings.TrimPrefix(rest, "Host: x\r\n")), status: 200},
		{name: "a header folded over lines", send: raw("POST /graphql HTTP/1.1\r\nX-Folded: a\r\n b\r\n" + rest), status: 200},
		{name: "only LF", send: raw(strings.ReplaceAll("POST /graphql HTTP/1.1\r\n"+rest, "\r", "")), status: 200},
		{
			name: "an upgrade to HTTP/2", status: 200,
			send: raw("POST /graphql HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n" + rest),
		},
		{name: "hop-by-hop headers", send: raw("POST /graphql HTTP/1.1\r\nConnection: close, Authorization, Host\r\n" + rest), status: 200},
		{name: "OPTIONS of everything", send: raw("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n"), status: 200, plain: true},
		{name: "an unknown expectation", send: raw("POST /graphql HTTP/1.1\r\nExpect: " + echo + "\r\n" + rest), status: 417, plain: true},
		{name: "a header of 60 KB", send: raw("POST /graphql HTTP/1.1\r\n" + strings.Repeat(big, 59) + rest), status: 200},
		{name: "a header of 100 KB", send: ends("POST /graphql HTTP/1.1\r\n" + strings.Repeat(big, 100) + rest), status: 431, plain: true},
		{name: "a header line of 100 KB", send: ends("POST /graphql HTTP/1.1\r\nX: " + strings.Repeat("b", 100_000) + "\r\n" + rest), status: 431, plain: true},
		{name: "10,000 empty headers", send: ends("POST /graphql HTTP/1.1\r\n" + strings.Repeat("a:\r\n", 30_000) + rest), status: 431, plain: true},
		{name: "an unterminated request line", send: ends("POST /" + strings.Repeat("g", 100_000)), status: 431, plain: true},
	}
	for _, tt := range []struct{ name, text string }{
		{"no host", "POST /graphql HTTP/1.1\r\n" + strings.TrimPrefix(rest, "Host: x\r\n")},
		{"an invalid host", "POST /graphql HTTP/1.1\r\n" + strings.Replace(rest, "Host: x", "Host: x y<>\x01", 1)},
		{"no version", "POST /graphql\r\n" + rest},
		{"a version without digits", "POST /graphql HTTP/x.y\r\n" + rest},
		{"http in lower case", "POST /graphql http/1.1\r\n" + rest},
		{"a method that is not a token", "P@ST /graphql HTTP/1.1\r\n" + rest},
		{"no method", " /graphql HTTP/1.1\r\n" + rest},
		{"two spaces", "POST  /graphql HTTP/1.1\r\n" + rest},
		{"a path without a slash", "POST graphql HTTP/1.1\r\n" + rest},
		{"a control character in a path", "POST /graphql\x7f HTTP/1.1\r\n" + rest},
		{"an invalid escape in a path", "POST /%zz HTTP/1.1\r\n" + rest},
		{"a TLS handshake", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"},
		{"zeros", strings.Repeat("\x00", 1000) + "\r\n\r\n"},
		{"another protocol", "EHLO " + echo + "\r\n\r\n"},
	} {
		rows = append(rows, row{name: tt.name, send: ends(tt.text), status: 400, plain: true})
	}
	return append(rows,
		row{name: "HTTP/3.0", send: ends("POST /graphql HTTP/3.0\r\n" + rest), status: 505, plain: true},
		row{name: "an HTTP/2 preface", send: ends("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), status: 400, plain: true},
	)
}

// halfClosed sends bytes and closes the client's side of the connection.
func halfClosed(text string) request {
	return func(t *testing.T, g *gateway) reply {
		t.Helper()
		conn := dial(t, g)
		send(conn, g.placeholders.Replace(text))
		must(t, conn.CloseWrite())
		return receive(t, bufio.NewReader(conn))
	}
}

// pipelining sends several requests over one connection without waiting: each gets a response, in order, up to an
// invalid one.
func pipelining(t *testing.T, g *gateway) {
	conn := dial(t, g)
	fine := start + "Content-Length: 39\r\n\r\n" + good
	named := strings.Replace(fine, "Host: x", "Host: x\r\nX-Request-Id: second", 1)
	send(conn, g.placeholders.Replace(fine+named+start+"Content-Length: 2\r\n\r\n{}"+"BROKEN\r\n\r\n"+fine))
	from := bufio.NewReader(conn)
	for i, want := range []int{200, 200, 400, 400, 0} {
		got := receive(t, from)
		if got.status != want {
			t.Errorf("response %d has status %d, want %d: %.300s", i, got.status, want, got.body)
		}
		if id := got.header.Get("X-Request-Id"); (id == "second") != (i == 1) {
			t.Errorf("response %d is for request %q", i, id)
		}
	}
	g.wantResponse(t)
}

// expectContinue sends Expect: 100-continue: the gateway requests a valid body, and refuses one above the limit.
func expectContinue(t *testing.T, g *gateway) {
	conn := dial(t, g)
	send(conn, g.placeholders.Replace(start+"Expect: 100-continue\r\nContent-Length: 39\r\n\r\n"))
	from := bufio.NewReader(conn)
	if line, err := from.ReadString('\n'); err != nil || !strings.HasPrefix(line, "HTTP/1.1 100 ") {
		t.Fatalf("%q, %v", line, err)
	}
	if line, err := from.ReadString('\n'); err != nil || line != "\r\n" {
		t.Fatalf("%q, %v", line, err)
	}
	send(conn, good)
	if got := receive(t, from); got.status != 200 {
		t.Errorf("%d %s", got.status, got.body)
	}
	// If the body was requested, the first status line would be 100.
	g.wantRow(t, row{
		send:   ends(start + "Expect: 100-continue\r\nContent-Length: 1048577\r\n\r\n"),
		status: 413, code: limit, limit: "bodyBytes",
	})
	g.wantRow(t, row{
		send:   raw(strings.Replace(start, "<token>", "x", 1) + "Expect: 100-continue\r\nContent-Length: 39\r\n\r\n"),
		status: 401, code: refused,
	})
	g.wantResponse(t)
}

// disconnects are clients that close the connection while sending, or before the response.
func disconnects(t *testing.T, g *gateway) {
	fine := g.placeholders.Replace(start + "Content-Length: 39\r\n\r\n" + good)
	for i := range 200 {
		conn := dial(t, g)
		send(conn, fine[:len(fine)*(i%10+1)/10])
		if i%2 == 0 {
			_ = conn.SetLinger(0) // a reset instead of a normal close
		}
		_ = conn.Close()
	}
	// Some of them sent a complete request. Its effects are over when for a while only our own calls are made upstream:
	// the next attack counts calls.
	for quiet := 0; quiet < 20; quiet++ {
		before := g.calls()
		if g.wantResponse(t); g.calls() != before+1 {
			quiet = 0
		}
	}
}
