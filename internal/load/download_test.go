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
	for _, name := range []string{"queries", "CSV", "NDJSON"} {
		if text := report.String(); strings.Count(text, name+" |") != 1 || !strings.Contains(text, "MiB") {
			t.Error(text)
		}
	}
}
