package doctor_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"pixgraph/gateway/doctor"
	"pixgraph/test/gatewaytest"
)

// TestClock compares the clock with servers whose clocks differ. The differences are far from the limits.
func TestClock(t *testing.T) {
	forward := []string{"--auth-mode=forward", "--auth-issuer=", "--auth-audience="}
	for _, tt := range []struct {
		name   string
		offset time.Duration // of the server
		age    string
		flags  []string
		want   row
	}{
		{"no difference", 0, "", nil, row{"clock", doctor.OK, []string{"less than 5s from http://", "core, dispatcher"}}},
		{"behind", 15 * time.Second, "", nil, row{"clock", doctor.Warn, []string{"behind core", "begins at 5s", "above 30s (auth_leeway)", "NTP"}}},
		{"ahead", -15 * time.Second, "", nil, row{"clock", doctor.Warn, []string{"ahead of core", "begins at 5s"}}},
		{"far behind", time.Hour, "", nil, row{"clock", doctor.Fail, []string{"behind core", "valid tokens are rejected"}}},
		{"far ahead", -time.Hour, "", nil, row{"clock", doctor.Fail, []string{"ahead of core", "valid tokens are rejected"}}},
		{"far behind, with a leeway", 100 * time.Second, "", []string{"--auth-leeway=5m"}, row{"clock", doctor.Warn, []string{"above 5m0s (auth_leeway)"}}},
		{"far behind, and the gateway verifies no tokens", time.Hour, "", forward, row{"clock", doctor.Warn, []string{"begins at 5s"}}},
		{"a response of a cache", -time.Hour, "3600", nil, row{"clock", doctor.OK, []string{"dispatcher"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Date", time.Now().Add(tt.offset).UTC().Format(http.TimeFormat))
				if tt.age != "" {
					w.Header().Set("Age", tt.age)
				}
				w.WriteHeader(http.StatusUnauthorized)
			}))
			t.Cleanup(api.Close)
			flags := append([]string{"--core-url=" + api.URL}, tt.flags...)
			expect(t, run(t, gatewaytest.Flags(gatewaytest.NewSandbox(t), flags...), ""), tt.want)
		})
	}
}

// TestNoClock: servers that cannot be reached, or that send no time, are not compared.
func TestNoClock(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Date"] = nil
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(api.Close)
	flags := gatewaytest.Flags(gatewaytest.NewSandbox(t), "--core-url="+api.URL, "--dispatcher-url=http://"+closedPort(t),
		"--auth-mode=forward", "--auth-issuer=", "--auth-audience=")
	expect(t, run(t, flags, ""), row{"clock", doctor.Skipped, []string{"no server sent its time"}})
}
