package settings

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"pixgraph/upstream"
)

// The kinds of settings: the values that each accepts, and how it stores them in Settings.

// errValue rejects a value. The user sees what the setting accepts instead.
var errValue = errors.New("is not accepted")

func text(key, help string, field func(*Settings) *string) Setting {
	return Setting{
		Key: key, Default: "", Accepts: "a string", Help: help,
		set: func(s *Settings, value string) error { *field(s) = value; return nil },
		get: func(s Settings) string { return *field(&s) },
	}
}

// checked adds a check to a text setting. An empty text passes.
func checked(row Setting, check func(string) error) Setting {
	set := row.set
	row.set = func(s *Settings, value string) error {
		if value != "" {
			if err := check(value); err != nil {
				return err
			}
		}
		return set(s, value)
	}
	return row
}

// hostForm is a host name (RFC 1123 section 2.1): labels of at most 63 letters, digits and hyphens.
var hostForm = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$`)

func address(key, fallback, help string, field func(*Settings) *string) Setting {
	row := text(key, help, field)
	row.Default, row.Accepts = fallback, "an address such as 127.0.0.1:8080, or :8080 for all interfaces"
	return checked(row, func(value string) error {
		host, port, err := net.SplitHostPort(value)
		if err != nil {
			return err
		}
		if _, err := netip.ParseAddr(host); err != nil && host != "" && !hostForm.MatchString(host) {
			return errValue // package net would resolve it, and repeat it in its error
		}
		_, err = strconv.ParseUint(port, 10, 16)
		return err
	})
}

func pointer(key, help string, field func(*Settings) *string) Setting {
	row := text(key, help, field)
	row.Accepts = "a JSON Pointer such as /notificationIds"
	return checked(row, func(value string) error {
		_, err := upstream.ParsePointer(value)
		return err
	})
}

func choice(key, fallback, help string, values []string, field func(*Settings) *string) Setting {
	row := text(key, help, field)
	row.Default, row.Accepts = fallback, strings.Join(values, " or ")
	set := row.set
	row.set = func(s *Settings, value string) error {
		if !slices.Contains(values, value) {
			return errValue
		}
		return set(s, value)
	}
	return row
}

// leastDuration is the smallest duration that a setting accepts. Nothing in the gateway takes less than a millisecond,
// so a smaller value is probably in the wrong unit.
const leastDuration = time.Millisecond

// duration is a setting for a positive duration of at most most.
func duration(key string, fallback, most time.Duration, help string, field func(*Settings) *time.Duration) Setting {
	return Setting{
		Key: key, Default: fallback.String(), Help: help,
		Accepts: "a positive duration such as 10s or 500ms, at least " + short(leastDuration) + " and at most " + short(most),
		set: func(s *Settings, value string) error {
			d, err := time.ParseDuration(value)
			if err == nil && (d < leastDuration || d > most) {
				err = errValue
			}
			*field(s) = d
			return err
		},
		get: func(s Settings) string { return field(&s).String() },
	}
}

// pause is a setting for a duration of at most most, or 0.
func pause(key string, fallback, most time.Duration, help string, field func(*Settings) *time.Duration) Setting {
	row := duration(key, fallback, most, help, field)
	row.Accepts = "a duration such as 10s or 500ms, at least " + short(leastDuration) + " and at most " + short(most) + "; 0s for none"
	set := row.set
	row.set = func(s *Settings, value string) error {
		if value == "0" || value == "0s" {
			*field(s) = 0
			return nil
		}
		return set(s, value)
	}
	return row
}

// short formats a duration without its zero parts: 5m for 5m0s.
func short(d time.Duration) string {
	return strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(d.String())
}

// The largest values of numbers. They prevent an overflow in sums, products and 32-bit integers on every platform.
const (
	// mostBytes can be addressed by the 32-bit offsets of upstream/wire with a margin. A body is held in memory as a
	// whole.
	mostBytes = 1 << 30
	// mostMemory is more than a machine has. The memory is not allocated in advance.
	mostMemory = 1 << 40
	// mostCount is far more than one process can serve.
	mostCount = 1_000_000
	// mostNesting keeps recursion over a document far below the limit of a goroutine's stack.
	mostNesting = 1000
	// mostRetries is more than useful: each retry is one more call to a failing service.
	mostRetries = 10
)

// number is a setting for a positive integer of at most most.
func number[N int | int64](key string, fallback, most N, help string, field func(*Settings) *N) Setting {
	return Setting{
		Key: key, Default: fmt.Sprint(fallback), Accepts: fmt.Sprintf("a positive whole number, at most %d", most), Help: help,
		set: func(s *Settings, value string) error {
			n, err := strconv.ParseInt(value, 10, 0)
			if err == nil && (n <= 0 || n > int64(most) || value != strconv.FormatInt(n, 10)) { // 0123 may be meant as octal
				err = errValue
			}
			*field(s) = N(n)
			return err
		},
		get: func(s Settings) string { return fmt.Sprint(*field(&s)) },
	}
}

// count is a number setting that also accepts 0.
func count(key string, fallback, most int, help string, field func(*Settings) *int) Setting {
	row := number(key, fallback, most, help, field)
	row.Accepts = fmt.Sprintf("a whole number, at most %d, 0 for none", most)
	set := row.set
	row.set = func(s *Settings, value string) error {
		if value == "0" {
			*field(s) = 0
			return nil
		}
		return set(s, value)
	}
	return row
}

// percent is a number setting up to 100; 0 means never.
func percent(key string, fallback int, help string, field func(*Settings) *int) Setting {
	row := count(key, fallback, 100, help, field)
	row.Accepts = "a whole number up to 100, 0 for never"
	return row
}

func onOff(key, fallback, help string, field func(*Settings) *bool) Setting {
	return Setting{
		Key: key, Default: fallback, Accepts: "on or off", Help: help,
		set: func(s *Settings, value string) error {
			switch value {
			case "on", "true":
				*field(s) = true
			case "off", "false":
				*field(s) = false
			default:
				return errValue
			}
			return nil
		},
		get: func(s Settings) string {
			if *field(&s) {
				return "on"
			}
			return "off"
		},
	}
}

// sandboxOn is an on or off setting without a default: if it is not set, it is on with the sandbox and off with real
// services.
func sandboxOn(key, help string, field func(*Settings) *string) Setting {
	row := choice(key, "", help, []string{"on", "off"}, field)
	row.Accepts, row.needed = "on or off", true
	return row
}

// rate is a setting for requests per second; 0 means no limit.
func rate(key, help string, field func(*Settings) *float64) Setting {
	return Setting{
		Key: key, Default: "0", Accepts: "a number of tokens per second, such as 5 or 0.5, at least 0.001 and at most 1000000; 0 for no limit", Help: help,
		set: func(s *Settings, value string) error {
			perSecond, err := strconv.ParseFloat(value, 64)
			if err == nil && perSecond != 0 && !(perSecond >= minRate && perSecond <= maxRate) {
				err = errValue
			}
			*field(s) = perSecond
			return err
		},
		get: func(s Settings) string { return strconv.FormatFloat(*field(&s), 'g', -1, 64) },
	}
}

const (
	// minRate refills the largest bucket in 32 years, so every waiting time fits a time.Duration.
	minRate = 1e-3
	// maxRate is more than one gateway can serve, and excludes infinity.
	maxRate = 1e6
)
