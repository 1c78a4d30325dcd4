package pipeline_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// TestHeaders: a response of up to 2 KiB has eight headers that the gateway sets, which net/http's map holds in one
// group; net/http adds Content-Length and Date. A longer one has its length too.
func TestHeaders(t *testing.T) {
	g := start(t)
	const around = len(`{"data":{"":"Query"}}`)
	for _, length := range []int{around + 1, 2047, 2048, 2049, 5000} {
		alias := strings.Repeat("a", length-around)
		got := g.QueryWith(http.Header{"Accept-Encoding": {"identity"}}, `{ `+alias+`: __typename }`).WantOK()
		if len(got.Body) != length || got.Header.Get("Content-Length") != strconv.Itoa(length) || len(got.Header) != 10 {
			t.Errorf("%d bytes, want %d: %v", len(got.Body), length, got.Header)
		}
	}
}
