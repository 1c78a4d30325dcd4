package settings_test

import (
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"pixgraph/gateway/settings"
)

// TestNumbersAreBounded: the maximum of a number or a size is accepted. Larger ones are rejected from each source, also
// those that overflow 32 or 64 bits.
func TestNumbersAreBounded(t *testing.T) {
	maximum := map[string]int{
		"limits_memory": 1 << 40, "upstream_breaker_percent": 100,
	}
	seen := map[string]int{}
	for _, setting := range settings.Table() {
		if setting.Type != "size" && (setting.Type != "number" || strings.Contains(setting.Accepts, "0.5")) {
			continue
		}
		seen[setting.Type]++
		bound, ok := maximum[setting.Key]
		if !ok {
			bound = 1_000_000
		}
		says := map[string]string{"number": "to " + strconv.Itoa(bound), "size": "1TiB"}
		if !strings.HasSuffix(setting.Accepts, says[setting.Type]) {
			t.Errorf("%s accepts %s, want … %s", setting.Key, setting.Accepts, says[setting.Type])
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
		for _, value := range []string{fmt.Sprint(bound + math.MaxUint32 + 1), fmt.Sprint(math.MaxInt64), "18446744073709551621", "-1", "+1", "01"} {
			wantRejected("the flags", value)
		}
	}
	if seen["number"] < 6 || seen["size"] != 1 {
		t.Errorf("found %v", seen)
	}
}

// TestSizes: a size is a number of bytes, or has a unit. It is shown in the largest unit of which it is a multiple.
func TestSizes(t *testing.T) {
	tests := []struct {
		value string
		bytes int64 // 0 for an error
		shown string
	}{
		{"1", 1, "1"}, {"1000", 1000, "1000"}, {"1024", 1 << 10, "1KiB"}, {"500KiB", 500 << 10, "500KiB"}, {"1536KiB", 1536 << 10, "1536KiB"},
		{"16MiB", 16 << 20, "16MiB"}, {"2048MiB", 2 << 30, "2GiB"}, {"1024GiB", 1 << 40, "1TiB"}, {"1TiB", 1 << 40, "1TiB"},
		{"2TiB", 0, ""}, {"9007199254740993KiB", 0, ""}, {"16777217TiB", 0, ""}, {"0MiB", 0, ""}, {"-1MiB", 0, ""}, {"1.5MiB", 0, ""},
		{"016MiB", 0, ""}, {"16 MiB", 0, ""}, {"16MB", 0, ""}, {"16M", 0, ""}, {"16mib", 0, ""}, {"16MiBKiB", 0, ""}, {"MiB", 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.value, func(t *testing.T) {
			s, err := settings.Load([]string{"--limits-memory=" + tt.value}, nil)
			if (err == nil) != (tt.bytes > 0) || err == nil && s.Memory != tt.bytes {
				t.Fatalf("%d bytes, %v; want %d", s.Memory, err, tt.bytes)
			}
			if shown := slog.AnyValue(s).Resolve().String(); err == nil && !strings.Contains(shown, "limits_memory="+tt.shown+" ") {
				t.Errorf("want %s in %s", tt.shown, shown)
			}
		})
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
	if seen < 5 {
		t.Errorf("only %d settings are durations", seen)
	}
}

// TestRanges: rates are 0, or large enough that the time to fill a bucket can be computed. Durations are bounded, so
// that a timeout is longer than the timeouts within it.
func TestRanges(t *testing.T) {
	rate := "0 0.001 1e-3 1000000"
	noRate := "0.0009 1e-300 5e-324 -0.5 1000001 Inf NaN"
	tests := []struct{ key, valid, invalid, says string }{
		{"rate_identity", rate, noRate, "or 0 for no limit (from"},
		{"rate_address", rate, noRate, "or 0 for no limit (from"},
		{"operation_timeout", "1ms 50s", "0s 50001ms -1s 10", "to 50s (from"},
		{"upstream_timeout", "1ms 50s", "0s 1m -1s 10", "to 50s (from"},
		{"live_interval", "1ms 1m", "0s 61s -1s 10", "to 1m (from"},
		{"shutdown_timeout", "1ms 1h", "0s 61m -1s 10", "to 1h (from"},
		{"shutdown_delay", "0s 1h", "-1ms 61m -1s 10", "to 1h, or 0s for none (from"},
	}
	for _, tt := range tests {
		t.Run(tt.key, func(t *testing.T) {
			for value := range strings.FieldsSeq(tt.valid) {
				if err := loadFrom(t, "the flags", tt.key, value); err != nil {
					t.Error(err)
				}
			}
			for value := range strings.FieldsSeq(tt.invalid) {
				if err := loadFrom(t, "the flags", tt.key, value); err == nil || !strings.Contains(err.Error(), tt.says) {
					t.Errorf("%s: error %v, want one with %s", value, err, tt.says)
				}
			}
		})
	}
}
