package settings_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"pixgraph/internal/settings"
)

// TestNumbersAreBounded: the maximum of a number is accepted. Larger numbers are rejected from each source, also those that
// overflow 32 or 64 bits.
func TestNumbersAreBounded(t *testing.T) {
	maximum := map[string]int{
		"limits_body": 1 << 30, "limits_memory": 1 << 40, "limits_read": 1 << 40, "limits_answer": 1 << 30, "limits_depth": 1000,
		"upstream_retries": 10, "upstream_breaker_percent": 100,
	}
	seen := 0
	for _, setting := range settings.Table() {
		if !strings.Contains(setting.Accepts, "whole number") {
			continue
		}
		seen++
		bound, ok := maximum[setting.Key]
		if !ok {
			bound = 1_000_000
		}
		if says := "at most " + strconv.Itoa(bound); !strings.Contains(setting.Accepts, says) && setting.Key != "upstream_breaker_percent" {
			t.Errorf("%s accepts %s, which does not contain %q", setting.Key, setting.Accepts, says)
		}
		if err := loadFrom(t, "the flags", setting.Key, strconv.Itoa(bound)); err != nil {
			t.Error(err)
		}
		wantRejected := func(source, value string) {
			err := loadFrom(t, source, setting.Key, value)
			if err == nil || !strings.HasPrefix(err.Error(), setting.Key+": must be "+setting.Accepts) {
				t.Errorf("%s from %s: error %v", value, source, err)
			}
		}
		for _, source := range []string{"the config file", "the environment", "the flags"} {
			wantRejected(source, strconv.Itoa(bound+1))
		}
		for _, value := range []string{fmt.Sprint(bound + math.MaxUint32 + 1), fmt.Sprint(math.MaxInt64), "18446744073709551621"} {
			wantRejected("the flags", value)
		}
	}
	if seen < 14 {
		t.Errorf("only %d settings are numbers", seen)
	}
}

// TestShortDurations: a duration below a millisecond is rejected, because its unit is probably a mistake.
func TestShortDurations(t *testing.T) {
	seen := 0
	for _, setting := range settings.Table() {
		if !strings.Contains(setting.Accepts, "duration") {
			continue
		}
		seen++
		for value, valid := range map[string]bool{
			"1ns": false, "999us": false, "1ms": true, fmt.Sprint(time.Duration(math.MaxInt64)): false, "9223372036854775808ns": false,
		} {
			if err := loadFrom(t, "the flags", setting.Key, value); (err == nil) != valid {
				t.Errorf("%s of %s: %v", setting.Key, value, err)
			}
		}
	}
	if seen < 6 {
		t.Errorf("only %d settings are durations", seen)
	}
}

// TestRates: a rate is 0, or large enough that the time to fill a bucket can be computed.
func TestRates(t *testing.T) {
	for _, key := range []string{"rate_identity", "rate_address"} {
		for value, valid := range map[string]bool{
			"0": true, "0.001": true, "1e-3": true, "1000000": true,
			"0.0009": false, "1e-300": false, "5e-324": false, "-0.5": false, "1000001": false, "Inf": false, "NaN": false,
		} {
			if err := loadFrom(t, "the flags", key, value); (err == nil) != valid {
				t.Errorf("%s of %s: %v", key, value, err)
			}
		}
	}
}

// TestDurations: durations are bounded, so that a timeout is longer than the timeouts within it.
func TestDurations(t *testing.T) {
	tests := []struct{ key, maximum, above, minimum, below, says string }{
		{"auth_leeway", "5m", "5m0.001s", "1ms", "0s", "at most 5m (from"},
		{"operation_timeout", "50s", "50001ms", "1ms", "0s", "at most 50s (from"},
		{"upstream_timeout", "50s", "1m", "1ms", "0s", "at most 50s (from"},
		{"shutdown_timeout", "1h", "61m", "1ms", "0s", "at most 1h (from"},
		{"shutdown_delay", "1h", "61m", "0s", "-1ms", "at most 1h; 0s for none (from"},
	}
	for _, tt := range tests {
		t.Run(tt.key, func(t *testing.T) {
			for _, value := range []string{tt.maximum, tt.minimum} {
				if err := loadFrom(t, "the flags", tt.key, value); err != nil {
					t.Error(err)
				}
			}
			for _, value := range []string{tt.above, tt.below, "-1s", "10"} {
				if err := loadFrom(t, "the flags", tt.key, value); err == nil || !strings.Contains(err.Error(), tt.says) {
					t.Errorf("%s: error %v, want one with %s", value, err, tt.says)
				}
			}
		})
	}
}
