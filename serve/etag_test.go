package serve_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
	"pixgraph/serve/cors"
)

// getQuery sends a query by GET.
func (g *gateway) getQuery(token, document string, header http.Header) response {
	g.T.Helper()
	caller := g.within(g.T)
	caller.Token = token
	return caller.Send(g.request(http.MethodGet, "/graphql?query="+url.QueryEscape(document), ""), header)
}

const tagged = `{ deposits { totalCount nodes { id status } } }`

// TestETag: the client that has a response gets a 304 for it, compressed or not, until the data changes.
func TestETag(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		first := g.getQuery(g.Token, tagged, nil).WantOK()
		tag := first.Header.Get("Etag")
		if !strings.HasPrefix(tag, `W/"`) || first.Header.Get("Cache-Control") != "private, no-cache" ||
			first.Header.Get("Vary") != "Authorization, Accept, Accept-Encoding" {
			t.Fatalf("%v", first.Header)
		}
		for _, encoding := range []string{"gzip", "identity"} {
			for _, sent := range []string{tag, strings.TrimPrefix(tag, "W/"), `"other", ` + tag, "*", strings.TrimSuffix(tag, `"`) + `-gzip"`} {
				again := g.getQuery(g.Token, tagged, http.Header{"If-None-Match": {sent}, "Accept-Encoding": {encoding}})
				if again.Status != http.StatusNotModified || len(again.Body) != 0 || again.Header.Get("Etag") != tag {
					t.Errorf("%s: %d %v", sent, again.Status, again.Header)
				}
			}
		}
		for _, other := range []string{`W/"other"`, "", strings.Trim(tag, `W/"`), tag[:len(tag)-1]} {
			if got := g.getQuery(g.Token, tagged, http.Header{"If-None-Match": {other}}); got.Status != http.StatusOK || !bytes.Equal(got.Body, first.Body) {
				t.Errorf("%s: %d", other, got.Status)
			}
		}
		defer g.replace(sandbox.RouteDeposit, `"total":240`, `"total":241`)()
		if got := g.getQuery(g.Token, tagged, http.Header{"If-None-Match": {tag}}); got.Status != http.StatusOK || got.Header.Get("Etag") == tag {
			t.Errorf("after a change: %d %v", got.Status, got.Header)
		}
	})
}

// TestETagOfCallers: two callers have other tags for the same bytes, and all tokens of a caller the same.
func TestETagOfCallers(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		mint := func(subject string) string { return g.Box.Issuer().Mint(issuer.Grant{Subject: subject}) }
		one := g.getQuery(mint("one"), tagged, nil).WantOK()
		two := g.getQuery(mint("two"), tagged, http.Header{"If-None-Match": one.Header["Etag"]}).WantOK()
		if !bytes.Equal(one.Body, two.Body) || one.Header.Get("Etag") == two.Header.Get("Etag") {
			t.Errorf("%v %v", one.Header, two.Header)
		}
		if again := g.getQuery(mint("one"), tagged, http.Header{"If-None-Match": one.Header["Etag"]}); again.Status != http.StatusNotModified {
			t.Errorf("another token of the caller: %d", again.Status)
		}
	})
}

// TestETagOfTypes: a response in one media type is not confirmed to a client that accepts only the other one.
func TestETagOfTypes(t *testing.T) {
	run(t, func(t *testing.T, g *gateway) {
		legacy := g.getQuery(g.Token, tagged, http.Header{"Accept": {"application/json"}}).WantOK()
		other := http.Header{"Accept": {"application/graphql-response+json"}, "If-None-Match": legacy.Header["Etag"]}
		if got := g.getQuery(g.Token, tagged, other); got.Status != http.StatusOK || !bytes.Equal(got.Body, legacy.Body) {
			t.Errorf("%d %v", got.Status, got.Header)
		}
	})
}

// TestNoETag: what is not the same for the same data, or is no GET, has no tag and is not stored.
func TestNoETag(t *testing.T) {
	runWith(t, func(o *options) { o.Serve.Trace = true }, func(t *testing.T, g *gateway) {
		for name, got := range map[string]response{
			"POST":    g.Query(tagged),
			"errors":  g.getQuery(g.Token, `{ transaction(id: "x") { id } deposits { totalCount } }`, http.Header{"If-None-Match": {"*"}}),
			"invalid": g.getQuery(g.Token, `{ nothing }`, http.Header{"If-None-Match": {"*"}}),
			"cost":    g.getQuery(g.Token, tagged, http.Header{"X-Pixgraph-Cost": {"1"}, "If-None-Match": {"*"}}),
			"trace":   g.getQuery(g.Token, tagged, http.Header{"X-Pixgraph-Trace": {"1"}, "If-None-Match": {"*"}}),
			"a file":  g.getQuery(g.Token, tagged, http.Header{"Accept": {"text/csv"}, "If-None-Match": {"*"}}),
			"no user": g.getQuery("", tagged, http.Header{"If-None-Match": {"*"}}),
		} {
			if got.Status == http.StatusNotModified || got.Header.Get("Etag") != "" || got.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: %d %v", name, got.Status, got.Header)
			}
		}
	})
}

// TestNotModifiedIsSmall: a 304 has less than 400 bytes on the wire, also for a page of another origin.
func TestNotModifiedIsSmall(t *testing.T) {
	runWith(t, func(o *options) {
		o.Serve.CORS = cors.Config{Origins: []string{"https://app.example.com"}}
	}, func(t *testing.T, g *gateway) {
		tag := g.getQuery(g.Token, tagged, nil).WantOK().Header.Get("Etag")
		conn := g.Dial()
		_, err := fmt.Fprintf(conn, "GET /graphql?query=%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"+
			"Origin: https://app.example.com\r\nIf-None-Match: %s\r\n\r\n",
			url.QueryEscape(tagged), g.Token, tag)
		must(t, err)
		size, reader := 0, bufio.NewReader(conn)
		for line := " "; line != "\r\n"; size += len(line) {
			line, err = reader.ReadString('\n')
			must(t, err)
		}
		if size >= 400 || reader.Buffered() > 0 {
			t.Errorf("%d bytes, %d more", size, reader.Buffered())
		}
	})
}
