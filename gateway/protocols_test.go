package gateway_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// TestProtocolsAgree: a request gets the same response over HTTP/1.1 and HTTP/2: status, header, body and trailer.
func TestProtocolsAgree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startSecured(t, "--cors-origins=https://shop.example", "--rate-identity=0.001", "--rate-identity-burst=100")
		clients := []*http.Client{s.client(t, false, nil), s.client(t, true, nil)}
		for _, client := range clients {
			client.Transport.(*http.Transport).DisableCompression = true
		}
		const page = `{"query":"{ deposits(perPage: 50) { nodes { id amount } } }"}`
		tagged := "/graphql?query=" + "%7Bdeposits%7BtotalCount%7D%7D"
		tag := s.respond(clients[0], http.MethodGet, tagged, "").Get("Etag")
		if tag == "" {
			t.Fatal("no ETag")
		}
		for _, tt := range []struct {
			name, method, path, body string
			header                   []string
			status                   int
		}{
			{"a query", "POST", "/graphql", page, nil, 200},
			{"compressed", "POST", "/graphql", page, []string{"Accept-Encoding: gzip"}, 200},
			{"a page of another site", "POST", "/graphql", page, []string{"Origin: https://shop.example"}, 200},
			{"a preflight", "OPTIONS", "/graphql", "", []string{"Origin: https://shop.example", "Access-Control-Request-Method: POST"}, 204},
			{"GET", "GET", tagged, "", nil, 200},
			{"not modified", "GET", tagged, "", []string{"If-None-Match: " + tag}, 304},
			{"HEAD", "HEAD", tagged, "", nil, 200},
			{"PUT", "PUT", "/graphql", page, nil, 405},
			{"no token", "POST", "/graphql", page, []string{"Authorization: "}, 401},
			{"invalid JSON", "POST", "/graphql", "{", nil, 400},
			{"an invalid document", "POST", "/graphql", `{"query":"{ x }"}`, []string{"Accept: application/graphql-response+json"}, 400},
			{"a text", "POST", "/graphql", page, []string{"Content-Type: text/plain"}, 415},
			{"a large body", "POST", "/graphql", strings.Repeat(" ", 1<<20) + page, nil, 413},
			{"another media type", "POST", "/graphql", page, []string{"Accept: image/png"}, 406},
			{"events", "POST", "/graphql", page, []string{"Accept: text/event-stream"}, 200},
			{"a file", "POST", "/graphql", page, []string{"Accept: text/csv"}, 200},
			{"a file with a trailer", "POST", "/graphql", page, []string{"Accept: text/csv", "Te: trailers"}, 200},
			{"a compressed file", "POST", "/graphql", page, []string{"Accept: application/x-ndjson", "Accept-Encoding: gzip"}, 200},
			{"Expect", "POST", "/graphql", page, []string{"Expect: 100-continue"}, 200},
			{"GraphiQL", "GET", "/", "", nil, 200},
			{"Payments", "GET", "/payments", "", nil, 200},
			{"HEAD of GraphiQL", "HEAD", "/", "", nil, 200},
			{"the schema", "GET", "/schema.graphql", "", []string{"Accept-Encoding: gzip"}, 200},
			{"an unknown path", "GET", "/unknown", "", nil, 404},
			{"a path that is not clean", "GET", "/x/../graphql", "", nil, 404},
			{"all requests", "OPTIONS", "*", "", nil, 200},
		} {
			var got [2]*reply
			for i, client := range clients {
				got[i] = s.respond(client, tt.method, tt.path, tt.body, tt.header...)
			}
			if got[0].status != tt.status || got[0].String() != got[1].String() {
				t.Errorf("%s: HTTP/1.1 got\n%.2000s\nHTTP/2 got\n%.2000s", tt.name, got[0], got[1])
			}
		}
		for i, client := range clients { // too many requests
			r := s.respond(client, http.MethodPost, "/graphql", page)
			for r.status == http.StatusOK {
				r = s.respond(client, http.MethodPost, "/graphql", page)
			}
			if r.status != http.StatusTooManyRequests || r.Get("Retry-After") == "" || !strings.Contains(r.body, "RATE_LIMITED") {
				t.Errorf("HTTP/%d: %s", i+1, r)
			}
		}
	})
}

// reply is what a client sees of a response.
type reply struct {
	http.Header
	status  int
	body    string
	trailer http.Header
}

// String returns all parts, without those that differ between two requests (Date, what is left of a rate) or are part
// of a protocol.
func (r *reply) String() string {
	var lines []string
	for _, header := range []http.Header{r.Header, r.trailer} {
		for name, values := range header {
			// A frame says where a body ends.
			if !slices.Contains([]string{"Date", "Ratelimit", "Connection", "Content-Length"}, name) {
				lines = append(lines, fmt.Sprintf("%s: %q", name, values))
			}
		}
	}
	slices.Sort(lines)
	return fmt.Sprintf("%d\n%s\n\n%s", r.status, strings.Join(lines, "\n"), r.body)
}

// respond sends a request of the user.
func (s *secured) respond(client *http.Client, method, path, body string, lines ...string) *reply {
	s.T.Helper()
	req := s.Request(method, strings.TrimPrefix(path, "*"), body)
	if path == "*" {
		req.URL.Opaque = path
	}
	if body == "" {
		req.Body = nil
	}
	req.Header = http.Header{"Authorization": {"Bearer " + s.Token}, "Content-Type": {"application/json"}, "X-Request-Id": {"same"}}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		if req.Header.Del(name); value != "" {
			req.Header.Set(name, value)
		}
	}
	resp, err := client.Do(req)
	if err != nil {
		s.T.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.T.Fatal(err)
	}
	return &reply{resp.Header, resp.StatusCode, string(text), resp.Trailer}
}
