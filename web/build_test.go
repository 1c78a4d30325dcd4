package web_test

import (
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"pixgraph/web"
)

// TestWithoutABuild: a checkout without the built page compiles, and the page says how to build it.
func TestWithoutABuild(t *testing.T) {
	c, err := web.Of(fstest.MapFS{}, web.Config{})
	must(t, err)
	w := ask(c, "GET", "/")
	if w.Code != 200 || !strings.Contains(w.Body.String(), "make build") || !strings.Contains(w.Header().Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
	for _, target := range []string{"/signed-in", "/assets/a-1.js"} {
		if w := ask(c, "GET", target); w.Code != 404 {
			t.Errorf("%s: %d", target, w.Code)
		}
	}
}

// TestInvalidBuilds: New returns an error for a build that cannot be served.
func TestInvalidBuilds(t *testing.T) {
	tests := []struct {
		name string
		file string // removed if text is empty, otherwise replaced by it
		text string
		says string
	}{
		{"no placeholder for the configuration", "index.html", "<!doctype html>", "configuration"},
		{"two placeholders", "index.html", index + index, "configuration"},
		{"no page of payments", "payments.html", "", "payments.html"},
		{"no callback page", "signed-in.html", "", "signed-in.html"},
		{"an asset of an unknown type", "assets/x-1.exe.gz", "x", "x-1.exe"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := build()
			delete(files, tt.file)
			if tt.text != "" {
				files[tt.file] = &fstest.MapFile{Data: []byte(tt.text)}
			}
			if _, err := web.Of(files, web.Config{}); err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestEmbedded: every file that this binary's page refers to exists and has a relative URL, so that the page
// works under any path.
func TestEmbedded(t *testing.T) {
	c, err := web.New(web.Config{})
	must(t, err)
	for _, document := range []string{"/", "/payments", "/signed-in"} {
		page := ask(c, "GET", document).Body.String()
		for _, match := range regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			address := match[1]
			if strings.HasPrefix(address, "data:") || !strings.Contains(address, "assets") {
				continue
			}
			if !strings.HasPrefix(address, "./assets/") {
				t.Errorf("%s refers to %s, which is not a relative URL", document, address)
			}
			if w := ask(c, "GET", strings.TrimPrefix(address, "."), "Accept-Encoding", "br"); w.Code != 200 || w.Body.Len() == 0 {
				t.Errorf("%s refers to %s: %d", document, address, w.Code)
			}
		}
	}
}
