package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestDownload measures a list of eleven pages, of which the last is not full.
func TestDownload(t *testing.T) {
	t.Parallel()
	var report bytes.Buffer
	tool := newTool(t)
	tool.stdout = &report
	if err := (&download{tool: tool, records: 1050}).run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if text := report.String(); strings.Count(text, "µs") != 3 || !strings.Contains(text, " NDJSON |") {
		t.Error(text)
	}
}
