package console_test

import (
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"pixgraph/graph/console"
)

// TestWithoutABuild: a checkout compiles without the page, and says what to do.
func TestWithoutABuild(t *testing.T) {
	c, err := console.Of(fstest.MapFS{}, console.Config{})
	if err != nil {
		t.Fatal(err)
	}
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

// TestBrokenBuilds: what cannot be served is an error at the start.
func TestBrokenBuilds(t *testing.T) {
	tests := []struct {
		name string
		file string // which is removed, or has this text instead
		text string
		says string
	}{
		{"no place for the configuration", "index.html", "<!doctype html>", "configuration"},
		{"two places", "index.html", index + index, "configuration"},
		{"no page for the issuer", "signed-in.html", "", "signed-in.html"},
		{"an asset of no known type", "assets/x-1.exe.gz", "x", "x-1.exe"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := build()
			delete(files, tt.file)
			if tt.text != "" {
				files[tt.file] = &fstest.MapFile{Data: []byte(tt.text)}
			}
			if _, err := console.Of(files, console.Config{}); err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestEmbedded: what the page of this binary refers to is there, beside it, whatever path it is served under.
func TestEmbedded(t *testing.T) {
	c, err := console.New(console.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range []string{"/", "/signed-in"} {
		page := ask(c, "GET", document).Body.String()
		for _, match := range regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			address := match[1]
			if strings.HasPrefix(address, "data:") || !strings.Contains(address, "assets") {
				continue
			}
			if !strings.HasPrefix(address, "./assets/") {
				t.Errorf("%s refers to %s, which is not beside it", document, address)
			}
			if w := ask(c, "GET", strings.TrimPrefix(address, "."), "Accept-Encoding", "br"); w.Code != 200 || w.Body.Len() == 0 {
				t.Errorf("%s refers to %s: %d", document, address, w.Code)
			}
		}
	}
}
