package transport

import (
	"testing"

	"pixgraph/graph/execute/download"
	"pixgraph/serve/accept"
)

// TestFormatOf: a format is chosen only if Accept names it with a higher weight than JSON, and with parameters that it
// has.
func TestFormatOf(t *testing.T) {
	lines := func(name string) download.Format { return download.Lines{Type: name} }
	tests := []struct {
		accept string
		want   download.Format
	}{
		{"text/csv", download.CSV{}},
		{"Text/CSV; Charset=UTF-8 ;header=present; bom=0", download.CSV{}},
		{"text/csv;header=absent;bom=1", download.CSV{BOM: true, NoHeader: true}},
		{`text/csv; bom="1"`, download.CSV{BOM: true}},
		{"text/csv;end=1", download.CSV{Ended: true}},
		{"text/csv;end=yes", nil},
		{"text/csv;charset=latin1", nil},
		{"text/csv;bom=yes", nil},
		{"text/csv;separator=x", nil},
		{"text/csv;bom=1;bom=0", nil},
		{"text/csv;q=0", nil},
		{"text/csv; locale=pt-BR", download.CSV{BOM: true, Dialect: download.Portuguese}},
		{`text/csv; charset=utf-8; LOCALE="pt-br"; bom=1; header=absent`, download.CSV{BOM: true, NoHeader: true, Dialect: download.Portuguese}},
		{"text/csv; locale=pt-BR; bom=0", download.CSV{Dialect: download.Portuguese}},
		{"text/csv; locale=pt-BR; bom=yes", nil},
		{"text/csv; locale=pt-PT", nil},
		{"text/csv; locale=", nil},
		{"text/csv, */*", download.CSV{}},
		{"text/csv;q=0.5, */*;q=0.9", download.CSV{}},
		{"text/csv, application/json", nil},
		{"text/csv, application/json;q=0.9", download.CSV{}},
		{"text/csv;q=0.9, application/graphql-response+json", nil},
		{"text/csv;q=0.9, application/x-ndjson", lines("application/x-ndjson")},
		{"application/x-ndjson, text/csv", lines("application/x-ndjson")},
		{"application/jsonl; charset=utf8", lines("application/jsonl")},
		{"application/NDJSON", lines("application/ndjson")},
		{"application/jsonl; charset=utf-16", nil},
		{"application/jsonl; progress=1; charset=utf8", download.Lines{Type: "application/jsonl", Progress: true}},
		{"application/x-ndjson; progress=0", lines("application/x-ndjson")},
		{"application/x-ndjson; progress=1; x=y", nil},
		{"text/csv, text/event-stream", download.CSV{}},
		{"*/*", nil},
		{"text/*", nil},
		{"application/*", nil},
		{"", nil},
	}
	for _, tt := range tests {
		if got := formatOf(accept.Read(new(accept.Few), []string{tt.accept})); got != tt.want {
			t.Errorf("%q: %#v, want %#v", tt.accept, got, tt.want)
		}
	}
}
