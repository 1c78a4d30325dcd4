package web_test

import (
	"runtime"
	"testing"

	"pixgraph/web"
)

// TestIdentityIsUnpackedOnce: a file costs a client without Accept-Encoding little memory after its first request: it
// is not decompressed for each request.
func TestIdentityIsUnpackedOnce(t *testing.T) {
	c := of(t, web.Config{})
	ask(c, "GET", "/assets/a-1.js")
	const reader = 40 << 10 // bytes of the windows and tables of a gzip reader
	const requests = 100
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range requests {
		ask(c, "GET", "/assets/a-1.js")
	}
	runtime.ReadMemStats(&after)
	if used := (after.TotalAlloc - before.TotalAlloc) / requests; used > reader/4 {
		t.Errorf("a request allocates %d bytes", used)
	}
	w := ask(c, "GET", "/assets/a-1.js")
	if w.Body.String() != script || w.Header().Get("Content-Length") != "14" {
		t.Errorf("%q of %s bytes", w.Body, w.Header().Get("Content-Length"))
	}
}
