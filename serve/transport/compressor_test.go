package transport

import (
	"strings"
	"testing"
)

// FuzzAcceptEncoding: the chosen coding is in the header, and small bodies are not compressed unless the header
// excludes identity.
func FuzzAcceptEncoding(f *testing.F) {
	c := &compressor{}
	f.Fuzz(func(t *testing.T, accept string) {
		lower := strings.ToLower(accept)
		big, small := c.wants([]string{accept}, compressFrom), c.wants([]string{accept}, compressFrom-1)
		if big && !strings.Contains(lower, "gzip") && !strings.Contains(lower, "*") {
			t.Errorf("%q got gzip", accept)
		}
		if small && (!big || !strings.Contains(lower, "identity") && !strings.Contains(lower, "*")) {
			t.Errorf("%q got gzip for a small body, for a big one: %t", accept, big)
		}
		if big && !strings.Contains(accept, "*") && !c.wants([]string{accept, "*;q=0"}, compressFrom) {
			t.Errorf("%q loses its coding if the others are excluded", accept)
		}
	})
}

// TestCompressFrom: a response that fits a network packet is not compressed.
func TestCompressFrom(t *testing.T) {
	for size, want := range map[int]bool{1399: false, 1400: true} {
		if got := new(compressor).wants([]string{"gzip"}, size); got != want {
			t.Errorf("%d bytes: %t", size, got)
		}
	}
}
