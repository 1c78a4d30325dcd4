package gateway

import (
	"strings"
	"testing"

	"pixgraph/test/gatewaytest"
)

// TestLittleMemory: in a container with little memory a gateway lowers the defaults of its limits. When it starts, it warns if limits
// that were set need more memory than the container has.
func TestLittleMemory(t *testing.T) {
	box := gatewaytest.NewSandbox(t)
	tests := []struct {
		name  string
		limit int64
		flags []string
		has   []string
		warns bool
	}{
		{"no limit", 0, nil, []string{`"limits_memory":"192MiB"`, `"live_streams":"20000"`}, false},
		{"a small container", 256 << 20, nil, []string{`"limits_memory":"49MiB"`, `"live_streams":"5116"`, `"limits_connections":"6395"`}, false},
		{
			"limits that do not fit", 256 << 20, []string{"--limits-memory=192MiB"},
			[]string{
				`"limits_memory":"192MiB"`,
				`"msg":"the memory limit of the container is too low for limits_memory and live_streams","limit":268435456,"needed":469696512`,
			}, true,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := launchAs(t, Process{memory: tt.limit}, gatewaytest.Flags(box, append(tt.flags, "--trace=off", "--shutdown-delay=0s")...)...)
			log := r.stderr.String()
			for _, text := range tt.has {
				if !strings.Contains(log, text) {
					t.Errorf("the log lacks %s: %s", text, log)
				}
			}
			if strings.Contains(log, "WARN") != tt.warns {
				t.Errorf("log: %s", log)
			}
		})
	}
}
