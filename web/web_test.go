package web_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"pixgraph/web"
	"pixgraph/web/operations"
)

// The content of the test's build. No test decompresses the .br, so it need not be brotli.
const (
	script       = "console.log(1)"
	brotliScript = "as brotli"
	index        = `<!doctype html><script type="application/json" id="console-config">{}</script><script src="./assets/a-1.js"></script>`
	signedIn     = `<!doctype html><title>signed in</title>`
)

// build is a build as Vite writes it.
func build() fstest.MapFS {
	return fstest.MapFS{
		"index.html": {Data: []byte(index)}, "payments.html": {Data: []byte(index)}, "signed-in.html": {Data: []byte(signedIn)},
		"assets/a-1.js.gz": {Data: gzipped(script)}, "assets/a-1.js.br": {Data: []byte(brotliScript)},
		"assets/s-1.css.gz": {Data: gzipped("a{}")}, "assets/s-1.css.br": {Data: []byte("a{}")},
		"assets/f-1.ttf.gz": {Data: gzipped("font")}, "assets/f-1.ttf.br": {Data: []byte("font")},
	}
}

func gzipped(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.Bytes()
}

func gunzipped(t *testing.T, text string) string {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(text))
	must(t, err)
	b, err := io.ReadAll(r)
	must(t, err)
	return string(b)
}

func of(t *testing.T, config web.Config) *web.Console {
	t.Helper()
	c, err := web.Of(build(), config)
	must(t, err)
	return c
}

// ask sends a request with headers, as pairs of name and value.
func ask(c http.Handler, method, target string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	for n := 0; n < len(header); n += 2 {
		r.Header.Add(header[n], header[n+1])
	}
	w := httptest.NewRecorder()
	c.ServeHTTP(w, r)
	return w
}

func TestPaths(t *testing.T) {
	c := of(t, web.Config{})
	tests := []struct {
		name, method, target string
		status               int
		contentType          string
	}{
		{"the page", "GET", "/", 200, "text/html; charset=utf-8"},
		{"the page with a query", "GET", "/?code=1", 200, "text/html; charset=utf-8"},
		{"payments", "GET", "/payments", 200, "text/html; charset=utf-8"},
		{"a path below payments", "GET", "/payments/x", 404, ""},
		{"a POST of payments", "POST", "/payments", 405, ""},
		{"the callback page", "GET", "/signed-in?code=1&state=2", 200, "text/html; charset=utf-8"},
		{"a script", "GET", "/assets/a-1.js", 200, "text/javascript; charset=utf-8"},
		{"styles", "GET", "/assets/s-1.css", 200, "text/css; charset=utf-8"},
		{"a font", "GET", "/assets/f-1.ttf", 200, "font/ttf"},
		{"the head of the page", "HEAD", "/", 200, "text/html; charset=utf-8"},
		{"the head of a script", "HEAD", "/assets/a-1.js", 200, "text/javascript; charset=utf-8"},
		{"a POST of the page", "POST", "/", 405, ""},
		{"a DELETE of a script", "DELETE", "/assets/a-1.js", 405, ""},
		{"a POST of the callback page", "POST", "/signed-in", 405, ""},
		{"another path", "GET", "/index.html", 404, ""},
		{"a POST of another path", "POST", "/index.html", 404, ""},
		{"an unknown asset", "GET", "/assets/b.js", 404, ""},
		{"the compressed file of an asset", "GET", "/assets/a-1.js.gz", 404, ""},
		{"the directory", "GET", "/assets/", 404, ""},
		{"out of the directory", "GET", "/assets/../index.html", 404, ""},
		{"beyond the root", "GET", "/assets/..%2f..%2fREADME.md", 404, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := ask(c, tt.method, tt.target)
			if w.Code != tt.status {
				t.Fatalf("status %d, want %d", w.Code, tt.status)
			}
			if tt.status == 200 && w.Header().Get("Content-Type") != tt.contentType {
				t.Errorf("content type %q", w.Header().Get("Content-Type"))
			}
			if tt.status == 405 && w.Header().Get("Allow") != "GET, HEAD" {
				t.Errorf("Allow %q", w.Header().Get("Allow"))
			}
			if tt.method == "HEAD" && w.Body.Len() > 0 {
				t.Errorf("a body of %d bytes", w.Body.Len())
			}
			if strings.Contains(w.Body.String(), "code=1") {
				t.Error("the response contains the request")
			}
		})
	}
}

func TestCodings(t *testing.T) {
	c := of(t, web.Config{})
	tests := []struct {
		name, accept, coding string
	}{
		{"a browser over TLS", "gzip, deflate, br, zstd", "br"},
		{"a browser without TLS", "gzip, deflate", "gzip"},
		{"curl", "", ""},
		{"neither", "zstd", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := ask(c, "GET", "/assets/a-1.js", "Accept-Encoding", tt.accept)
			body := w.Body.String()
			want := brotliScript
			switch tt.coding {
			case "gzip":
				body, want = gunzipped(t, body), script
			case "":
				want = script
			}
			if got := w.Header().Get("Content-Encoding"); got != tt.coding || body != want {
				t.Errorf("%q in coding %q, want %q", body, got, tt.coding)
			}
			if got := w.Header().Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
				t.Errorf("Cache-Control %q", got)
			}
			if w.Header().Get("Vary") != "Accept-Encoding" {
				t.Error("no Vary")
			}
			page := ask(c, "GET", "/", "Accept-Encoding", tt.accept)
			text := page.Body.String()
			if page.Header().Get("Content-Encoding") == "gzip" {
				text = gunzipped(t, text)
			} else if strings.Contains(tt.accept, "gzip") {
				t.Error("the page is not compressed")
			}
			if !strings.HasPrefix(text, "<!doctype html>") || page.Header().Get("Vary") != "Accept-Encoding" {
				t.Errorf("page %q", text)
			}
		})
	}
}

func TestAccepts(t *testing.T) {
	tests := []struct {
		name, header string
		want         bool
	}{
		{"named", "gzip, br", true},
		{"in capitals", "BR", true},
		{"with a weight", "br;q=0.1", true},
		{"excluded", "gzip, br;q=0", false},
		{"an invalid weight", "br;q=x", false},
		{"anything", "*", true},
		{"anything else", "*, br;q=0", false},
		{"excluded, and a wildcard", "br;q=0, *", false},
		{"nothing", "*;q=0", false},
		{"empty", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := web.Accepts([]string{tt.header}, "br"); got != tt.want {
				t.Errorf("Accepts(%q) = %t", tt.header, got)
			}
		})
	}
}

// TestRevalidation: the browser requests the page each time, and gets its body only if it has changed.
func TestRevalidation(t *testing.T) {
	c := of(t, web.Config{})
	first := ask(c, "GET", "/")
	etag := first.Header().Get("ETag")
	if !regexp.MustCompile(`^"[A-Za-z0-9_-]{16}"$`).MatchString(etag) || first.Header().Get("Cache-Control") != "no-cache" {
		t.Fatalf("ETag %s, Cache-Control %s", etag, first.Header().Get("Cache-Control"))
	}
	for _, known := range []string{etag, "W/" + etag, `"x", ` + etag, "*"} {
		w := ask(c, "GET", "/", "If-None-Match", known)
		if w.Code != http.StatusNotModified || w.Body.Len() > 0 || w.Header().Get("ETag") != etag {
			t.Errorf("If-None-Match %s: %d", known, w.Code)
		}
	}
	if w := ask(c, "GET", "/", "If-None-Match", `"x"`); w.Code != http.StatusOK {
		t.Errorf("another tag: %d", w.Code)
	}
	other := of(t, web.Config{Trace: true})
	if w := ask(other, "GET", "/", "If-None-Match", etag); w.Code != http.StatusOK {
		t.Errorf("another configuration: %d", w.Code)
	}
}

func TestConfiguration(t *testing.T) {
	c := of(t, web.Config{
		Trace: true, Schema: true,
		SignIn:  &web.SignIn{Issuer: "https://login.example.com/a", ClientID: "</script><!--", Scopes: []string{"openid"}},
		Gateway: operations.Gateway{PageNumber: true}, Links: true, Fees: "cents",
	})
	page := ask(c, "GET", "/").Body.String()
	match := regexp.MustCompile(`(?s)id="console-config">(.*?)</script>`).FindStringSubmatch(page)
	if match == nil || strings.Contains(match[1], "<") {
		t.Fatalf("the page is %s", page)
	}
	var shown map[string]any
	must(t, json.Unmarshal([]byte(match[1]), &shown))
	signIn, _ := shown["signIn"].(map[string]any)
	list, _ := shown["operations"].([]any)
	for _, name := range []string{"trace", "schema", "pageNumber", "links"} {
		if shown[name] != true {
			t.Errorf("%s is %v", name, shown[name])
		}
	}
	if shown["fees"] != "cents" || shown["pageSize"] != false || signIn["clientId"] != "</script><!--" ||
		len(list) != len(operations.All(operations.Gateway{PageNumber: true})) {
		t.Errorf("the configuration is %v", shown)
	}
	without := `{"trace":false,"schema":false,"pageNumber":false,"pageSize":false,"links":false,"maxCost":0,"fees":"","operations":[{`
	if empty := ask(of(t, web.Config{}), "GET", "/").Body.String(); !strings.Contains(empty, without) {
		t.Errorf("the empty configuration is in %s", empty)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
