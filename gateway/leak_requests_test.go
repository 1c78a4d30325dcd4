package gateway_test

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"pixgraph/internal/memnet"
	"pixgraph/serve/run"
)

// The unusual requests of TestLeaks: a secret in every header that the gateway reads, and in every other part of a
// request.

const leakOperation = `{"query":"query Odd { deposits(perPage: 1) { totalCount } }"}`

// sendUnusual sends requests that no well-behaved client sends, with secrets in them.
func (l *leakSearch) sendUnusual(token string, sample secrets) {
	l.t.Helper()
	for secret, member := range sample {
		text, plain := url.QueryEscape(secret), plainText(secret)
		for _, header := range leakHeaders(text, token) {
			req := l.newRequest(http.MethodPost, "/graphql", token, leakOperation)
			req.Header.Set("Traceparent", "00-"+clientTrace+"-"+clientSpan+"-01") // recorded
			req.Header.Set(header.name, header.value)
			l.ask(req)
		}
		for _, name := range []string{"Apollographql-Client-Name", "Apollographql-Client-Version"} {
			for _, value := range clientTexts(member, plain) {
				req := l.newRequest(http.MethodPost, "/graphql", token, leakOperation)
				req.Header.Set(name, value)
				l.ask(req)
			}
		}
		document := "/graphql?query=" + url.QueryEscape("{ __typename }")
		for _, target := range []string{
			"/graphql?query=" + text, document + "&query=" + text, document + "&operationName=" + text, document + "&documentId=" + text,
			document + "&variables=" + text, document + "&extensions=" + text, document + "&" + text, document + "&" + text + "=%zz",
			document + "&variables=" + url.QueryEscape(`{"`+text+`":"`+text+`"}`),
			document + "&extensions=" + url.QueryEscape(`{"persistedQuery":{"version":1,"sha256Hash":"`+text+`"}}`),
			document + "&access_token=" + token,
			"/" + text, "/graphql/" + text, "//" + text, "/x/../" + text, "/schema.graphql?" + text, "/assets/" + text, "/signed-in?code=" + text, "/payments?" + text,
		} {
			l.ask(l.newRequest(http.MethodGet, target, token, ""))
		}
		for _, method := range []string{http.MethodHead, http.MethodPut, http.MethodDelete, http.MethodOptions, text} {
			l.ask(l.newRequest(method, "/graphql?"+text, token, ""))
		}
		l.preflight(text)
		l.upload(token, plain)
		l.raw(text)
	}
}

// plainText is a secret without URL escapes.
func plainText(secret string) string {
	if plain, err := url.QueryUnescape(secret); err == nil {
		return plain
	}
	return secret
}

type leakHeader struct{ name, value string }

// leakHeaders are the headers that a gateway or its libraries read.
func leakHeaders(text, token string) []leakHeader {
	parent := "00-" + clientTrace + "-" + clientSpan + "-01"
	return []leakHeader{
		{"Tracestate", "vendor=" + text}, {"Tracestate", text}, {"Baggage", "user=" + text}, {"X-Request-Id", text + "/"},
		{"Traceparent", text}, {"Traceparent", parent + "-" + text}, {"Traceparent", "cc" + parent[2:] + "-" + text},
		{"Traceparent", strings.Replace(parent, clientTrace, text, 1)}, {"Traceparent", strings.Replace(parent, clientSpan, "0000000000000000", 1)},
		{"Accept", text}, {"Accept", "application/" + text + ", text/html"}, {"Accept-Encoding", text},
		{"Content-Type", text}, {"Content-Type", `application/json; charset="` + text + `"`}, {"Content-Encoding", text},
		{"Content-Type", "application/x-www-form-urlencoded"}, {"Expect", text},
		{"X-Pixgraph-Timeout", text}, {"X-Pixgraph-Timeout", "1"}, {"X-Pixgraph-Cost", text}, {"X-Pixgraph-Trace", text},
		{"Origin", "https://" + text}, {"Origin", text}, {"Referer", "https://example.com/" + text}, {"User-Agent", text},
		{"Cookie", "session=" + text + "; token=" + token}, {"X-Forwarded-For", text}, {"Forwarded", "for=" + text},
		{"X-Apollo-Operation-Name", text}, {"Authorization", text}, {"Authorization", "Basic " + text},
		{"Authorization", "Bearer " + token + " " + text}, {"Authorization", "Bearer " + text + "." + text + "." + text},
	}
}

// clientTexts are client names that a careless client could send: its user's data. The gateway logs a value that looks
// like the name of software, so the value of such a secret gets a suffix.
func clientTexts(member, plain string) []string {
	marked := plain + "@"
	switch member {
	case "email", "document", "value", "mobilePhone", "landline":
		return []string{plain, marked}
	default:
		return []string{marked}
	}
}

// preflight sends CORS preflight requests.
func (l *leakSearch) preflight(text string) {
	l.t.Helper()
	for _, origin := range []string{"https://" + text, "https://app.example.com"} {
		req := l.newRequest(http.MethodOptions, "/graphql", "", "")
		req.Header = http.Header{
			"Origin": {origin}, "Access-Control-Request-Method": {text}, "Access-Control-Request-Headers": {"Authorization, " + text},
		}
		l.ask(req)
	}
}

// upload sends a multipart form, as clients that upload files do.
func (l *leakSearch) upload(token, plain string) {
	l.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField("operations", leakOperation) // a write to memory, which does not fail
	_ = form.WriteField("map", `{"0":["variables.`+url.QueryEscape(plain)+`"]}`)
	if part, err := form.CreateFormFile("0", plain); err == nil {
		_, _ = io.WriteString(part, plain)
	}
	_ = form.Close()
	for _, preflighted := range []string{"", "1"} {
		req := l.newRequest(http.MethodPost, "/graphql", token, body.String())
		req.Header.Set("Content-Type", form.FormDataContentType())
		req.Header.Set("Apollo-Require-Preflight", preflighted)
		l.ask(req)
	}
}

// tooLarge sends a body above the limit without its length, so that it is read. It is only a little above the limit, so
// that it has been written when the gateway responds and closes the connection.
func (l *leakSearch) tooLarge(token string) {
	l.t.Helper()
	req := l.newRequest(http.MethodPost, "/graphql", token, `{"query":"`+strings.Repeat(token, run.DefaultMaxBody/len(token)+1)+`"}`)
	req.ContentLength = -1
	l.ask(req)
}

// raw sends malformed requests that Go's client cannot send.
func (l *leakSearch) raw(text string) {
	l.t.Helper()
	for _, request := range []string{
		"GET /%s HTTP/9.9\r\n\r\n", "GET /%s HTTP/1.1\r\nHost: a b\r\n\r\n", "%s\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: a\r\n%s %[1]s: a\r\n\r\n", "POST /graphql HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: %s\r\n\r\n",
		"POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Length: %s\r\n\r\n", "GET /%%zz%s HTTP/1.1\r\nHost: a\r\n\r\n",
	} {
		connection, err := l.Network.DialContext(l.t.Context(), "tcp", l.Address())
		if err != nil {
			l.t.Fatal(err)
		}
		_, _ = fmt.Fprintf(connection, request, text) // the server may close the connection meanwhile
		_ = connection.(*memnet.Conn).CloseWrite()
		answer, _ := io.ReadAll(connection)
		_ = connection.Close()
		l.wantNoSecrets("the response to a malformed request", string(answer))
	}
}
