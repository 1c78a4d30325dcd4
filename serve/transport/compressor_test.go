package transport

import (
	"strings"
	"testing"
)

// FuzzAcceptEncoding: the chosen coding is in the header, and small bodies are not compressed unless the header
// excludes identity.
func FuzzAcceptEncoding(f *testing.F) {
	c := &compressor{from: 100}
	f.Fuzz(func(t *testing.T, accept string) {
		lower := strings.ToLower(accept)
		big, small := c.wants([]string{accept}, 1000), c.wants([]string{accept}, 10)
		if big && !strings.Contains(lower, "gzip") && !strings.Contains(lower, "*") {
			t.Errorf("%q got gzip", accept)
		}
		if small && (!big || !strings.Contains(lower, "identity") && !strings.Contains(lower, "*")) {
			t.Errorf("%q got gzip for a small body, for a big one: %t", accept, big)
		}
		if big && !strings.Contains(accept, "*") && !c.wants([]string{accept, "*;q=0"}, 1000) {
			t.Errorf("%q loses its coding if the others are excluded", accept)
		}
	})
}
