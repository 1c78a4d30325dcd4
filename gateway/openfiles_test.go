package gateway

import (
	"strings"
	"testing"

	"pixgraph/test/gatewaytest"
)

// TestFewOpenFiles: a gateway that may open fewer files than its settings need says so when it starts.
func TestFewOpenFiles(t *testing.T) {
	box := gatewaytest.NewSandbox(t)
	const warning = `"level":"WARN","msg":"the limit of open files is too low for limits_connections","limit":25575,"needed":25576`
	for openFiles, warns := range map[int]bool{0: false, 25_575: true, 25_576: false} {
		r := launchAs(t, Process{openFiles: openFiles}, gatewaytest.Flags(box, "--trace=off", "--shutdown-delay=0s")...)
		if log := r.stderr.String(); strings.Contains(log, warning) != warns || strings.Contains(log, "WARN") != warns {
			t.Errorf("with %d files the log is %s", openFiles, log)
		}
	}
	if most := mostOpenFiles(); most < 10 {
		t.Errorf("this process may open %d files", most)
	}
}
