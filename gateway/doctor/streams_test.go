package doctor_test

import (
	"net/http"
	"testing"

	"pixgraph/gateway/doctor"
	"pixgraph/sandbox"
)

// TestStreams checks gateways whose streams would not work as their settings say.
func TestStreams(t *testing.T) {
	reads := 0
	tests := []testCase{
		{name: "no problem", passes: true, rows: []row{
			{"open files", doctor.OK, []string{"30000", "25000 connections", "25576"}},
			{"memory", doctor.OK, []string{"1024 MiB", "680 MiB"}},
			{"streams", doctor.OK, []string{"20000 streams", "1000 records"}},
			{"read for a stream", doctor.OK, []string{"reads per second"}},
		}},
		{name: "few open files", flags: []string{"--upstream-concurrency=20000"}, passes: true, rows: []row{
			{"open files", doctor.Warn, []string{"30000", "65064", "upstream_concurrency"}},
		}},
		{name: "little memory", flags: []string{"--limits-memory=500MiB"}, passes: true, rows: []row{
			{"memory", doctor.Warn, []string{"1024 MiB", "1643 MiB", "limits_memory"}},
		}},
		{name: "streams that contradict other settings", passes: true, flags: []string{
			"--rate-identity=0.5", "--rate-address=0.5", "--live-interval=200ms", "--live-polls=4",
			"--live-nudge-secret=aaaaaaaaaaaaaaaa",
		}, rows: []row{
			{"streams", doctor.Warn, []string{"rate_identity", "live_interval=200ms"}},
			{"streams", doctor.Warn, []string{"rate_address", "live_interval=200ms"}},
			{"streams", doctor.Warn, []string{"live_polls=4", "live_interval=200ms"}},
			{"streams", doctor.Warn, []string{"live_nudge_secret", "guess"}},
		}},
		{name: "a removed setting", flags: []string{"--tls-private-ca=ca.crt"}, passes: true, rows: []row{
			{"settings", doctor.Warn, []string{"tls_private_ca was removed", "--private-ca"}},
		}},
		{name: "no streams", flags: []string{"--live=off"}, passes: true, rows: []row{
			{"streams", doctor.Skipped, []string{"live is off"}},
			{"memory", doctor.OK, []string{"368 MiB"}},
		}},
		{name: "reads of streams fail", injectFaults: func(_ *testing.T, box *sandbox.Sandbox) {
			box.Inject(sandbox.Fault{Route: sandbox.RouteDeposit, Status: http.StatusTooManyRequests, Match: func(r *http.Request) bool {
				if !anonymous(r) {
					reads++
				}
				return reads == 2 // after that of the list
			}})
		}, rows: []row{{"read for a stream", doctor.Fail, []string{"too many calls"}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, tt.examine)
	}
}
