package settings

import (
	"errors"
	"net"
	"net/netip"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
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

// ipv4InIPv6 is the length of the prefix in front of an IPv4 address that is written as one of IPv6: ::ffff:0:0/96.
const ipv4InIPv6 = 96

func networks() kind[[]netip.Prefix] {
	network := kind[netip.Prefix]{format: netip.Prefix.String, parse: func(text string) (netip.Prefix, error) {
		p, err := netip.ParsePrefix(text)
		if own := p.Bits() - ipv4InIPv6; p.Addr().Is4In6() && own >= 0 { // addresses of clients are compared as IPv4
			p = netip.PrefixFrom(p.Addr().Unmap(), own)
		}
		return p, err
	}}
	return listOf(network, "a list of networks such as 10.0.0.0/8")
}
