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

// The kinds of settings: what each takes, and how it gets into Settings.

var errValue = errors.New("cannot be taken")

func text(key, help string, field func(*Settings) *string) Setting {
	return Setting{
		Key: key, Default: "", Takes: "a text", Help: help,
		set: func(s *Settings, value string) error { *field(s) = value; return nil },
		get: func(s Settings) string { return *field(&s) },
	}
}

// checked is a text that has to pass a check unless it is empty.
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
	row.Default, row.Takes = fallback, "an address such as 127.0.0.1:8080, or :8080 for all interfaces"
	return checked(row, func(value string) error {
		host, port, err := net.SplitHostPort(value)
		if err != nil {
			return err
		}
		if _, err := netip.ParseAddr(host); err != nil && host != "" && !hostForm.MatchString(host) {
			return errValue // package net would look it up, and repeat it in its error
		}
		_, err = strconv.ParseUint(port, 10, 16)
		return err
	})
}

func pointer(key, help string, field func(*Settings) *string) Setting {
	row := text(key, help, field)
	row.Takes = "a JSON Pointer such as /notificationIds"
	return checked(row, func(value string) error {
		_, err := upstream.ParsePointer(value)
		return err
	})
}

func choice(key, fallback, help string, values []string, field func(*Settings) *string) Setting {
	row := text(key, help, field)
	row.Default, row.Takes = fallback, strings.Join(values, " or ")
	set := row.set
	row.set = func(s *Settings, value string) error {
		if !slices.Contains(values, value) {
			return errValue
		}
		return set(s, value)
	}
	return row
}

// leastDuration is the least that a duration may be: nothing here happens in less than a millisecond, so that less is a
// mistaken unit.
const leastDuration = time.Millisecond

// duration is a positive one of at most so long.
func duration(key string, fallback, most time.Duration, help string, field func(*Settings) *time.Duration) Setting {
	return Setting{
		Key: key, Default: fallback.String(), Help: help,
		Takes: "a positive duration such as 10s or 500ms, at least " + short(leastDuration) + " and at most " + short(most),
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

// pause is a duration of at most so long, or none.
func pause(key string, fallback, most time.Duration, help string, field func(*Settings) *time.Duration) Setting {
	row := duration(key, fallback, most, help, field)
	row.Takes = "a duration such as 10s or 500ms, at least " + short(leastDuration) + " and at most " + short(most) + "; 0s for none"
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

// short is a duration without the parts that are zero: 5m for 5m0s.
func short(d time.Duration) string {
	return strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(d.String())
}

// The most that numbers may be. None may overflow where it is added to, multiplied or kept in 32 bits, on any platform.
const (
	// mostBytes is what the 32-bit offsets of upstream/wire can address, with room to spare; a body is held whole.
	mostBytes = 1 << 30
	// mostMemory is what a machine may have; nothing is allocated for it in advance.
	mostMemory = 1 << 40
	// mostCount is far beyond what one process serves.
	mostCount = 1_000_000
	// mostNesting keeps what is recursive over a document far from the end of a goroutine's stack.
	mostNesting = 1000
	// mostRetries is beyond what helps: each retry is one more call to a service that fails.
	mostRetries = 10
)

// number is a positive one of at most so much.
func number[N int | int64](key string, fallback, most N, help string, field func(*Settings) *N) Setting {
	return Setting{
		Key: key, Default: fmt.Sprint(fallback), Takes: fmt.Sprintf("a positive whole number, at most %d", most), Help: help,
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

// count is a number that may be 0.
func count(key string, fallback, most int, help string, field func(*Settings) *int) Setting {
	row := number(key, fallback, most, help, field)
	row.Takes = fmt.Sprintf("a whole number, at most %d, 0 for none", most)
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

// percent is a number up to 100; 0 for never.
func percent(key string, fallback int, help string, field func(*Settings) *int) Setting {
	row := count(key, fallback, 100, help, field)
	row.Takes = "a whole number up to 100, 0 for never"
	return row
}

func onOff(key, fallback, help string, field func(*Settings) *bool) Setting {
	return Setting{
		Key: key, Default: fallback, Takes: "on or off", Help: help,
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

// sandboxOn is on or off, or neither: then the sandbox has it on, and real services have it off.
func sandboxOn(key, help string, field func(*Settings) *string) Setting {
	row := choice(key, "", help, []string{"on", "off"}, field)
	row.Takes, row.needed = "on or off", true
	return row
}

// rate is a number of requests per second; 0 is no limit.
func rate(key, help string, field func(*Settings) *float64) Setting {
	return Setting{
		Key: key, Default: "0", Takes: "a number of tokens per second, such as 5 or 0.5, at least 0.001 and at most 1000000; 0 for no limit", Help: help,
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
	// minRate fills the largest bucket in 32 years, and so keeps every time to wait within a time.Duration.
	minRate = 1e-3
	// maxRate is beyond what one gateway serves, and keeps infinity out.
	maxRate = 1e6
)
