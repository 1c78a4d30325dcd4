package serve_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestDownloadSizes: a list is downloaded with the pages that the API allows.
func TestDownloadSizes(t *testing.T) {
	for _, tt := range []struct {
		name, arguments string
		change          func(*options)
		pages, calls    int
	}{
		{"a refused size", "", func(o *options) { o.Sandbox.MaxPerPage = 50 }, 12, 13},
		{"a reduced size", "", func(o *options) { o.Sandbox.MaxPerPage, o.Sandbox.ClampPerPage = 50, true }, 5, 5},
		{"pages of one size", "", func(o *options) { o.Sandbox.IgnorePerPage = true }, 12, 12},
		{"no name of the size", "", func(o *options) { o.Upstream.PerPageParam = "" }, 12, 12},
		{"no name of the size, from the second page", "(page: 2)", func(o *options) { o.Upstream.PerPageParam = "" }, 11, 11},
		{"cursors and a refused size", "(after: null, first: null)", func(o *options) { o.Sandbox.MaxPerPage = 50 }, 12, 13},
		{"first and a reduced size", "(first: 100)", func(o *options) { o.Sandbox.MaxPerPage, o.Sandbox.ClampPerPage = 40, true }, 3, 3},
		{"first and pages of one size", "(first: 50)", func(o *options) { o.Sandbox.IgnorePerPage = true }, 3, 3},
		{"one page without names", "", func(o *options) {
			o.Upstream.PageParam, o.Upstream.PerPageParam, o.Sandbox.DefaultPerPage, o.Sandbox.MaxPerPage = "", "", 300, 300
		}, 1, 1},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			g := start(t, tt.change)
			_, end := g.download("application/x-ndjson", `{ deposits`+tt.arguments+` { nodes { id } } }`).want("").lines()
			if end.Pages != tt.pages {
				t.Errorf("%+v", end)
			}
			g.WantCalls(tt.calls, g.Token)
		})
	}
	bubble(t, "sizes of the client", func(t *testing.T) {
		g := start(t, func(o *options) { o.Sandbox.MaxPerPage = 50 })
		if f := g.download("text/csv", `{ deposits(perPage: 60) { nodes { id } } }`); f.status != http.StatusBadGateway {
			t.Errorf("status %d: %s", f.status, f.body)
		}
		g.WantCalls(1, g.Token)
		g.Box.ResetCalls()
		for _, size := range []string{"0", "101"} {
			if f := g.download("text/csv", `{ deposits(first: `+size+`) { nodes { id } } }`); !strings.Contains(string(f.body), `"first must be 1 to 100"`) {
				t.Errorf("first: %s: %s", size, f.body)
			}
		}
		g.WantNoCalls()
	})
}
