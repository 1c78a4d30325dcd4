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

// TestNumbersAreBounded: what a number may be at most is taken from each source, one more is refused, and so is what wraps
// in 32 or 64 bits.
func TestNumbersAreBounded(t *testing.T) {
	most := map[string]int{
		"limits_body": 1 << 30, "limits_memory": 1 << 40, "limits_read": 1 << 40, "limits_answer": 1 << 30, "limits_depth": 1000,
		"upstream_retries": 10, "upstream_breaker_percent": 100,
	}
	seen := 0
	for _, setting := range settings.Table() {
		if !strings.Contains(setting.Accepts, "whole number") {
			continue
		}
		seen++
		bound, ok := most[setting.Key]
		if !ok {
			bound = 1_000_000
		}
		if says := "at most " + strconv.Itoa(bound); !strings.Contains(setting.Accepts, says) && setting.Key != "upstream_breaker_percent" {
			t.Errorf("%s takes %s, which does not say %s", setting.Key, setting.Accepts, says)
		}
		if err := loadFrom(t, "the flags", setting.Key, strconv.Itoa(bound)); err != nil {
			t.Error(err)
		}
		refused := func(source, value string) {
			err := loadFrom(t, source, setting.Key, value)
			if err == nil || !strings.HasPrefix(err.Error(), setting.Key+": must be "+setting.Accepts) {
				t.Errorf("%s from %s: error %v", value, source, err)
			}
		}
		for _, source := range []string{"the config file", "the environment", "the flags"} {
			refused(source, strconv.Itoa(bound+1))
		}
		for _, value := range []string{fmt.Sprint(bound + math.MaxUint32 + 1), fmt.Sprint(math.MaxInt64), "18446744073709551621"} {
			refused("the flags", value)
		}
	}
	if seen < 14 {
		t.Errorf("only %d settings are numbers", seen)
	}
}

// TestDurationsAreNoFraction: less than a millisecond is a mistaken unit, and would be 0 where it is divided.
func TestDurationsAreNoFraction(t *testing.T) {
	seen := 0
	for _, setting := range settings.Table() {
		if !strings.Contains(setting.Accepts, "duration") {
			continue
		}
		seen++
		for value, taken := range map[string]bool{
			"1ns": false, "999us": false, "1ms": true, fmt.Sprint(time.Duration(math.MaxInt64)): false, "9223372036854775808ns": false,
		} {
			if err := loadFrom(t, "the flags", setting.Key, value); (err == nil) != taken {
				t.Errorf("%s of %s: %v", setting.Key, value, err)
			}
		}
	}
	if seen < 6 {
		t.Errorf("only %d settings are durations", seen)
	}
}

// TestRates are 0, or such that the time to wait for a full bucket can be told.
func TestRates(t *testing.T) {
	for _, key := range []string{"rate_identity", "rate_address"} {
		for value, taken := range map[string]bool{
			"0": true, "0.001": true, "1e-3": true, "1000000": true,
			"0.0009": false, "1e-300": false, "5e-324": false, "-0.5": false, "1000001": false, "Inf": false, "NaN": false,
		} {
			if err := loadFrom(t, "the flags", key, value); (err == nil) != taken {
				t.Errorf("%s of %s: %v", key, value, err)
			}
		}
	}
}

// TestDurations are bounded, so that what waits for another really is the more patient one.
func TestDurations(t *testing.T) {
	tests := []struct{ key, most, more, least, less, says string }{
		{"auth_leeway", "5m", "5m0.001s", "1ms", "0s", "at most 5m (from"},
		{"operation_timeout", "50s", "50001ms", "1ms", "0s", "at most 50s (from"},
		{"upstream_timeout", "50s", "1m", "1ms", "0s", "at most 50s (from"},
		{"shutdown_timeout", "1h", "61m", "1ms", "0s", "at most 1h (from"},
		{"shutdown_delay", "1h", "61m", "0s", "-1ms", "at most 1h; 0s for none (from"},
	}
	for _, tt := range tests {
		t.Run(tt.key, func(t *testing.T) {
			for _, value := range []string{tt.most, tt.least} {
				if err := loadFrom(t, "the flags", tt.key, value); err != nil {
					t.Error(err)
				}
			}
			for _, value := range []string{tt.more, tt.less, "-1s", "10"} {
				if err := loadFrom(t, "the flags", tt.key, value); err == nil || !strings.Contains(err.Error(), tt.says) {
					t.Errorf("%s: error %v, want one that says %s", value, err, tt.says)
				}
			}
		})
	}
}
