package settings_test

import (
	"strings"
	"testing"

	"pixgraph/gateway/settings"
)

// TestForeignVariables: variables with the prefix that other programs set are ignored, and no others.
func TestForeignVariables(t *testing.T) {
	tests := []struct {
		name    string
		environ []string
		unknown string // the start of the error; empty for no error
	}{
		{name: "a Kubernetes service", environ: []string{
			"PIXGRAPH_SERVICE_HOST=10.0.0.1", "PIXGRAPH_SERVICE_PORT=80", "PIXGRAPH_SERVICE_PORT_HTTP_ADMIN=9090",
			"PIXGRAPH_PORT=tcp://10.0.0.1:80", "PIXGRAPH_PORT_80_TCP=tcp://10.0.0.1:80", "PIXGRAPH_PORT_80_TCP_PROTO=tcp",
			"PIXGRAPH_PORT_80_TCP_PORT=80", "PIXGRAPH_PORT_80_TCP_ADDR=10.0.0.1", "PIXGRAPH_PORT_53_UDP=udp://10.0.0.1:53",
			"PIXGRAPH_PORT_9_SCTP_ADDR=10.0.0.1",
		}},
		{name: "the doctor's token", environ: []string{"PIXGRAPH_TOKEN=eyJ"}},
		{name: "a longer name than the doctor's token", environ: []string{"PIXGRAPH_TOKEN_FILE=x"}, unknown: "unknown variable PIXGRAPH_TOKEN_FILE ("},
		{name: "the doctor's token in another case", environ: []string{"PIXGRAPH_token=x"}},
		{name: "a port that is not Kubernetes' URL", environ: []string{"PIXGRAPH_PORT=8080"}, unknown: "unknown variable PIXGRAPH_PORT ("},
		{name: "the name of a service", environ: []string{"PIXGRAPH_SERVICE_NAME=pixgraph"}, unknown: "unknown variable PIXGRAPH_SERVICE_NAME ("},
		{name: "a port without protocol", environ: []string{"PIXGRAPH_PORT_80=80"}, unknown: "unknown variable PIXGRAPH_PORT_80 ("},
		{name: "a port without number", environ: []string{"PIXGRAPH_PORT_HTTP_TCP=80"}, unknown: "unknown variable PIXGRAPH_PORT_HTTP_TCP ("},
		{name: "a suffix after a name of Kubernetes", environ: []string{"PIXGRAPH_PORT_80_TCP_ADDR_X=1"},
			unknown: "unknown variable PIXGRAPH_PORT_80_TCP_ADDR_X ("},
		{name: "a prefix before a name of Kubernetes", environ: []string{"PIXGRAPH_CORE_SERVICE_HOST=10.0.0.1"},
			unknown: "unknown variable PIXGRAPH_CORE_SERVICE_HOST ("},
		{name: "one name in two cases", environ: []string{"PIXGRAPH_LISTEN=:1", "PIXGRAPH_listen=:2"}, unknown: "listen: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := settings.Load(nil, tt.environ)
			switch {
			case tt.unknown == "" && err != nil:
				t.Error(err)
			case tt.unknown != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.unknown)):
				t.Errorf("error %v, want %s…", err, tt.unknown)
			}
		})
	}
}
