package settings

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"pixgraph/graph/guard/persisted"
	"pixgraph/upstream"
)

// kind is a type of values of settings.
type kind[T any] struct {
	word    string   // its name in --help
	accepts string   // completes "must be …"
	values  []string // all values, if they are few
	list    bool
	needed  bool // an empty value is an error, even without a default
	parse   func(string) (T, error)
	format  func(T) string
}

// errValue rejects a value. The user sees what the setting accepts instead.
var errValue = errors.New("is not accepted")

// checked is a kind of texts.
func checked(word, accepts string, check func(string) error) kind[string] {
	return kind[string]{
		word: word, accepts: accepts, format: func(text string) string { return text },
		parse: func(text string) (string, error) { return text, check(text) },
	}
}

func str() kind[string] { return checked("string", "a string", func(string) error { return nil }) }

// Secret is a value that is never shown or logged.
type Secret string

// hidden is shown instead of a secret that is set.
const hidden = "***"

// String implements fmt.Stringer.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return hidden
}

// GoString implements fmt.GoStringer.
func (s Secret) GoString() string { return s.String() }

// secretForm is a segment of a path that needs no escapes.
var secretForm = regexp.MustCompile(`^[A-Za-z0-9._~-]{16,256}$`)

func secret() kind[Secret] {
	return kind[Secret]{
		word: "secret", accepts: "16 to 256 letters, digits, or any of -._~", format: Secret.String,
		parse: func(text string) (Secret, error) {
			if !secretForm.MatchString(text) {
				return "", errValue
			}
			return Secret(text), nil
		},
	}
}

func file() kind[string] {
	k := str()
	k.word, k.accepts = fileType, "the path of a file"
	return k
}

func files() kind[[]string] {
	k := listOf(file(), "the path of a file, or several")
	k.word = fileType
	return k
}

// hostForm is a host name (RFC 1123 section 2.1): labels of at most 63 letters, digits and hyphens.
var hostForm = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$`)

func address() kind[string] {
	accepts := "an address such as 127.0.0.1:8080, :8080 for all interfaces, or unix:/run/pixgraph.sock"
	return checked("address", accepts, func(value string) error {
		if path, isUnix := UnixPath(value); isUnix {
			if !filepath.IsAbs(path) || len(path) > maxUnixPath || strings.ContainsFunc(path, unicode.IsControl) {
				return errValue
			}
			return nil
		}
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

// maxUnixPath is the length of a path that every system accepts for a socket, in bytes.
const maxUnixPath = 103

// UnixPath returns the path of an address that is a unix socket.
func UnixPath(address string) (path string, isUnix bool) { return strings.CutPrefix(address, "unix:") }

func pointer() kind[string] {
	return checked("pointer", "a JSON Pointer such as /notificationIds", func(value string) error {
		_, err := upstream.ParsePointer(value)
		return err
	})
}

func oneOf[T ~string](values ...T) kind[T] {
	var texts []string
	for _, value := range values {
		texts = append(texts, string(value))
	}
	return kind[T]{
		word: strings.Join(texts, "|"), accepts: strings.Join(texts, " or "), values: texts, format: func(value T) string { return string(value) },
		parse: func(text string) (T, error) {
			if !slices.Contains(texts, text) {
				return "", errValue
			}
			return T(text), nil
		},
	}
}

// tracing is on or off without a default: on with the sandbox and off with real services.
func tracing() kind[string] {
	k := oneOf("on", "off")
	k.needed = true
	return k
}

func onOff() kind[bool] {
	names := map[bool]string{true: "on", false: "off"}
	return kind[bool]{
		word: "on|off", accepts: "on or off", values: []string{"on", "off"}, format: func(on bool) string { return names[on] },
		parse: func(text string) (bool, error) {
			on := text == "on" || text == "true"
			if !on && text != "off" && text != "false" {
				return false, errValue
			}
			return on, nil
		},
	}
}

// onOffReport is on, off, or only a report of what on would do.
func onOffReport() kind[persisted.Only] {
	k := oneOf(persisted.OnlyOn, persisted.OnlyOff, persisted.OnlyReport)
	parse := k.parse
	k.parse = func(text string) (persisted.Only, error) {
		if on, err := onOff().parse(text); err == nil { // also true and false
			text = onOff().format(on)
		}
		return parse(text)
	}
	return k
}

// minDuration is the smallest duration that a setting accepts. Nothing in the gateway takes less than a millisecond,
// so a smaller value is probably in the wrong unit.
const minDuration = time.Millisecond

// duration is a duration of at most highest. If lowest is 0, it may also be 0.
func duration(lowest, highest time.Duration) kind[time.Duration] {
	accepts := "a duration such as 10s or 500ms, from " + short(minDuration) + " to " + short(highest)
	if lowest == 0 {
		accepts += ", or 0s for none"
	}
	return kind[time.Duration]{
		word: "duration", accepts: accepts, format: short,
		parse: func(text string) (time.Duration, error) {
			d, err := time.ParseDuration(text)
			if err == nil && (d < lowest || d > highest || d != 0 && d < minDuration) {
				err = errValue
			}
			return d, err
		},
	}
}

// short formats a duration without its zero parts: 5m for 5m0s.
func short(d time.Duration) string {
	return strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(d.String())
}

// The largest values of numbers. They prevent an overflow in sums, products and 32-bit integers on every platform.
const (
	// maxMemory is more than a machine has. The memory is not allocated in advance.
	maxMemory = 1 << 40
	// maxCount is far more than one process can serve.
	maxCount = 1_000_000
)

// number is a whole number.
func number(lowest, highest int) kind[int] {
	return kind[int]{
		word: "number", accepts: fmt.Sprintf("a number from %d to %d", lowest, highest), format: strconv.Itoa,
		parse: func(text string) (int, error) {
			n, err := strconv.Atoi(text)
			if err == nil && (n < lowest || n > highest || text != strconv.Itoa(n)) { // 0123 may be meant as octal
				err = errValue
			}
			return n, err
		},
	}
}

// unit is a unit of sizes: 1<<shift bytes.
type unit struct {
	name  string
	shift int
}

// units returns the units, the largest first.
func units() []unit { return []unit{{"TiB", 40}, {"GiB", 30}, {"MiB", 20}, {"KiB", 10}, {"", 0}} }

// size is a positive number of bytes.
func size() kind[int64] {
	return kind[int64]{
		word: "size", accepts: "a size such as 16MiB or 500KiB, at most " + formatSize(maxMemory), format: formatSize,
		parse: func(text string) (int64, error) {
			for _, unit := range units() {
				digits, ok := strings.CutSuffix(text, unit.name)
				if !ok {
					continue
				}
				n, err := strconv.ParseInt(digits, 10, 64)
				if err == nil && (n <= 0 || n > maxMemory>>unit.shift || digits != strconv.FormatInt(n, 10)) {
					err = errValue
				}
				return n << unit.shift, err
			}
			return 0, errValue
		},
	}
}

// formatSize writes a size in the largest unit of which it is a multiple.
func formatSize(bytes int64) string {
	i := slices.IndexFunc(units(), func(u unit) bool { return bytes>>u.shift<<u.shift == bytes })
	return strconv.FormatInt(bytes>>units()[i].shift, 10) + units()[i].name
}

const (
	// minRate refills the largest bucket in 32 years, so every waiting time fits a time.Duration.
	minRate = 1e-3
	// maxRate is more than one gateway can serve, and excludes infinity.
	maxRate = 1e6
)

// perSecond is a rate; 0 means no limit.
func perSecond() kind[float64] {
	return kind[float64]{
		word: "number", accepts: "a number such as 5 or 0.5, from 0.001 to 1000000, or 0 for no limit",
		format: func(rate float64) string { return strconv.FormatFloat(rate, 'g', -1, 64) },
		parse: func(text string) (float64, error) {
			rate, err := strconv.ParseFloat(text, 64)
			if err == nil && rate != 0 && !(rate >= minRate && rate <= maxRate) {
				err = errValue
			}
			return rate, err
		},
	}
}

// listOf is a list of values, which are separated by commas. An empty item is an error, because it is probably a
// mistake.
func listOf[T any](item kind[T], accepts string) kind[[]T] {
	return kind[[]T]{
		word: "list", accepts: accepts + ", separated by commas", list: true,
		parse: func(text string) (items []T, err error) {
			for text := range strings.SplitSeq(text, ",") {
				if text = strings.TrimSpace(text); text == "" {
					return nil, errValue
				}
				value, err := item.parse(text)
				if err != nil {
					return nil, err
				}
				items = append(items, value)
			}
			return items, nil
		},
		format: func(items []T) string {
			texts := make([]string, len(items))
			for i, value := range items {
				texts[i] = item.format(value)
			}
			return strings.Join(texts, ",")
		},
	}
}

func list() kind[[]string] { return listOf(str(), "a list of values") }

func networks() kind[[]netip.Prefix] {
	network := kind[netip.Prefix]{parse: netip.ParsePrefix, format: netip.Prefix.String}
	return listOf(network, "a list of networks such as 10.0.0.0/8")
}
