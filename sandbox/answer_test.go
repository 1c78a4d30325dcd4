package sandbox_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"testing"

	"pixgraph/sandbox"
)

// TestCompression: large bodies are compressed if the client accepts gzip, with the same content.
func TestCompression(t *testing.T) {
	run(t, sandbox.Config{Records: 50}, func(t *testing.T, s *sandbox.Sandbox) {
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
				t.Fatalf("%s: Content-Encoding %q", tt.name, got.header.Get("Content-Encoding"))
			}
			if tt.address == list && got.header.Get("Vary") != "Accept-Encoding" {
				t.Errorf("%s: Vary %q", tt.name, got.header.Get("Vary"))
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
				t.Errorf("%s: %d bytes of %d, plain %d, error %v", tt.name, len(got.body), len(body), len(plain), err)
			}
		}
	})
}
