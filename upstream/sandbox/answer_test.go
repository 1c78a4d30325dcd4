package sandbox_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"testing"

	"pixgraph/upstream/sandbox"
)

// TestCompression: large bodies are compressed if the client accepts gzip, with the same content.
func TestCompression(t *testing.T) {
	s := start(t, sandbox.Config{Records: 50})
	list, small := s.CoreURL()+"/withdrawal", s.CoreURL()+"/withdrawal?endDate=1999-01-01T00:00:00Z"
	tests := []struct {
		name, address, accept string
		gzip                  bool
	}{
		{"not asked", list, "", false},
		{"asked", list, "gzip", true},
		{"among others", list, "br;q=1.0, GZIP;q=0.5", true},
		{"refused", list, "gzip;q=0, br", false},
		{"refused with blanks", list, "gzip; q=0.000", false},
		{"another", list, "br", false},
		{"too small", small, "gzip", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, tt.address, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+s.Token())
			if tt.accept != "" {
				req.Header.Set("Accept-Encoding", tt.accept)
			}
			got, err := roundTrip(newClient(), req)
			if err != nil {
				t.Fatal(err)
			}
			if zipped := got.header.Get("Content-Encoding") == "gzip"; zipped != tt.gzip {
				t.Fatalf("Content-Encoding %q", got.header.Get("Content-Encoding"))
			}
			if tt.address == list && got.header.Get("Vary") != "Accept-Encoding" {
				t.Errorf("Vary %q", got.header.Get("Vary"))
			}
			if !tt.gzip {
				return
			}
			zr, err := gzip.NewReader(bytes.NewReader(got.body))
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(zr)
			if plain := get(t, s, list).body; err != nil || !bytes.Equal(body, plain) || len(got.body) >= len(plain) {
				t.Errorf("%d bytes of %d, plain %d, error %v", len(got.body), len(body), len(plain), err)
			}
		})
	}
}
