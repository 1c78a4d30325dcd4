package transport_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"pixgraph/serve/run"
)

// decoded is the body of a response without its content coding.
func (r reply) decoded() string {
	r.t.Helper()
	switch coding := r.header.Get("Content-Encoding"); coding {
	case "":
		return r.body
	case "gzip":
	default:
		r.t.Fatalf("Content-Encoding %s", coding)
	}
	reader, err := gzip.NewReader(strings.NewReader(r.body))
	must(r.t, err)
	text, err := io.ReadAll(reader)
	must(r.t, err)
	return string(text)
}

// TestAcceptEncoding: the codings of a big response and of a small one.
func TestAcceptEncoding(t *testing.T) {
	e := start(t, run.Config{})
	whole := e.query(`{ big }`).body
	if len(whole) < 300_000 {
		t.Fatalf("the big response has only %d bytes", len(whole))
	}
	tests := []struct{ name, accept, big, small string }{
		{"gzip", "gzip", "gzip", ""},
		{"gzip by its old name", "x-gzip", "gzip", ""},
		{"only zstd", "zstd", "", ""},
		{"a browser", "gzip, deflate, br, zstd", "gzip", ""},
		{"graphql-codegen on Node 20, which cannot read zstd", "zstd, br, gzip, deflate", "gzip", ""},
		{"an older browser", "gzip, deflate, br", "gzip", ""},
		{"in capitals", "GZIP", "gzip", ""},
		{"weights", "br;q=0.9, gzip;q=0.8", "gzip", ""},
		{"any coding", "*", "gzip", ""},
		{"any coding except gzip", "gzip;q=0, *", "", ""},
		{"identity preferred", "identity, gzip;q=0.5", "", ""},
		{"identity of the same weight", "identity, gzip", "gzip", ""},
		{"identity of a lower weight", "identity;q=0.1, gzip;q=0.5", "gzip", ""},
		{"identity excluded", "gzip, identity;q=0", "gzip", "gzip"},
		{"identity excluded by a wildcard", "gzip, *;q=0", "gzip", "gzip"},
		{"everything excluded", "*;q=0", "", ""},
		{"only identity excluded", "identity;q=0", "", ""},
		{"gzip excluded", "gzip;q=0", "", ""},
		{"unknown codings", "br, deflate, compress", "", ""},
		{"empty", " ", "", ""},
		{"an invalid weight", "gzip;q=x", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e.t = t
			big, small := e.query(`{ big }`, "Accept-Encoding: "+tt.accept), e.query(`{ ok }`, "Accept-Encoding: "+tt.accept)
			big.t, small.t = t, t
			big.wantHeader("Content-Encoding", tt.big)
			small.wantHeader("Content-Encoding", tt.small)
			if big.decoded() != whole || small.decoded() != `{"data":{"ok":"fine"}}` {
				t.Error("the decoded response differs")
			}
			if tt.big != "" && len(big.body) > len(whole)/2 {
				t.Errorf("%d bytes were compressed to %d", len(whole), len(big.body))
			}
			big.wantHeader("Vary", "")
		})
	}
}

// TestCompressParallel: concurrent requests do not share pooled encoders and buffers.
func TestCompressParallel(t *testing.T) {
	e := serve(t, newHandler(t, run.Config{}, nil))
	whole := e.query(`{ big }`).body
	for _, accept := range []string{"gzip", "identity"} {
		for _, document := range []string{`{ big }`, `{ ok }`} {
			t.Run(accept+document, func(t *testing.T) {
				t.Parallel()
				want := map[string]string{`{ big }`: whole, `{ ok }`: `{"data":{"ok":"fine"}}`}[document]
				own := e
				own.t = t
				for range 20 {
					r := own.query(document, "Accept-Encoding: "+accept)
					if r.status != http.StatusOK || r.decoded() != want {
						t.Fatalf("%d bytes of status %d", len(r.body), r.status)
					}
				}
			})
		}
	}
}
