package main

import (
	"bytes"
	"strings"
	"testing"
)

// series are readings of which each has more of everything than the one before.
func series(n int, by float64) []reading {
	readings := make([]reading, n)
	for i := range readings {
		grown := float64(i) * by
		readings[i] = reading{90 + grown, 5 + grown/1024, 12 + grown, 50 + grown}
	}
	return readings
}

func TestSoakCheck(t *testing.T) {
	noisy := series(20, 0)
	for i := range noisy {
		noisy[i][0] += float64(i%3) * 8
		noisy[i][2] += float64(i % 5)
	}
	spike := series(20, 0)
	spike[18][1], spike[18][3] = 1024, 10_000
	filled := series(20, 0)
	filled[0] = reading{1} // before its caches were filled
	leaking := series(20, 0)
	for i := range leaking {
		leaking[i][2] += float64(i) * 10
	}
	for _, tt := range []struct {
		name     string
		readings []reading
		says     string
	}{
		{"flat", series(20, 0), ""},
		{"noise", noisy, ""},
		{"one spike", spike, ""},
		{"filling up at the beginning", filled, ""},
		{"everything but the heap grows", series(40, 20), "these keep growing: RSS in MiB, goroutines, file descriptors"},
		{"goroutines grow", leaking, "these keep growing: goroutines"},
		{"few readings", series(5, 100), "RSS in MiB, goroutines, file descriptors"},
		{"too few", series(4, 0), "too few readings"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			err := checkReadings(&out, tt.readings)
			if (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v, want %q", err, tt.says)
			}
			if lines := strings.Count(out.String(), "\n"); len(tt.readings) >= 5 && lines != 6 {
				t.Errorf("%d lines:\n%s", lines, &out)
			}
		})
	}
}
