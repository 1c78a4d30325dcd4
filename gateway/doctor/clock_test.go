package doctor_test

import (
	"net/http"
	"testing"
	"time"

	"pixgraph/gateway/doctor"
)

// TestClock compares the clock with servers whose clocks differ.
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
		{"a little behind", 4 * time.Second, "", nil, row{"clock", doctor.OK, []string{"less than 5s from http://"}}},
		{"a little ahead", -5 * time.Second, "", nil, row{"clock", doctor.OK, []string{"less than 5s from http://"}}},
		{"behind", 5 * time.Second, "", nil, row{"clock", doctor.Warn, []string{"5s behind core", "begins at 5s", "above 30s valid tokens", "NTP"}}},
		{"ahead", -6 * time.Second, "", nil, row{"clock", doctor.Warn, []string{"5s ahead of core", "begins at 5s"}}},
		{"far behind", 31 * time.Second, "", nil, row{"clock", doctor.Fail, []string{"behind core", "valid tokens are rejected"}}},
		{"far ahead", -32 * time.Second, "", nil, row{"clock", doctor.Fail, []string{"ahead of core", "valid tokens are rejected"}}},
		{"far behind, and the gateway verifies no tokens", time.Hour, "", forward, row{"clock", doctor.Warn, []string{"begins at 5s"}}},
		{"a response of a cache", -time.Hour, "3600", nil, row{"clock", doctor.OK, []string{"dispatcher"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(s *site) {
				api := s.Serve(s, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Date", time.Now().Add(tt.offset).UTC().Format(http.TimeFormat))
					if tt.age != "" {
						w.Header().Set("Age", tt.age)
					}
					w.WriteHeader(http.StatusUnauthorized)
				}))
				expect(s.T, s.run("", append(tt.flags, "--core-url="+api)...), tt.want)
			})
		})
	}
}

// TestNoClock: servers that cannot be reached, or that send no time, are not compared.
func TestNoClock(t *testing.T) {
	bubble(t, func(s *site) {
		api := s.Serve(s, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Date"] = nil
			w.WriteHeader(http.StatusUnauthorized)
		}))
		report := s.run("", "--core-url="+api, "--dispatcher-url=http://"+s.closedPort(), "--auth-mode=forward", "--auth-issuer=", "--auth-audience=")
		expect(s.T, report, row{"clock", doctor.Skipped, []string{"no server sent its time"}})
	})
}
