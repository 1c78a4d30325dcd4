package fleet

import (
	"cmp"
	"errors"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// URL is the address of a Redis or Valkey server, with a user, a password and a database:
//
//	redis://user:password@host:6379/0     also rediss, with TLS
//	unix:///run/redis.sock?db=0
//	redis://host:6379?addr=host2:6379&cluster=on              nodes of a cluster
//	redis://host:26379?addr=host2:26379&master_set=pixgraph   Sentinels
//
// Its String shows no password.
type URL string

// String implements fmt.Stringer.
func (u URL) String() string {
	if parsed, err := url.Parse(string(u)); err == nil {
		return parsed.Redacted()
	}
	return ""
}

// GoString implements fmt.GoStringer.
func (u URL) GoString() string { return u.String() }

var errURL = errors.New("is not the URL of a Redis server")

// parameters are those of a URL.
var parameters = []string{"addr", "cluster", "db", "master_set"}

// hostForm matches a name or an IP address with a port. Other characters are probably a parameter without a ?.
var hostForm = regexp.MustCompile(`^([A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\]):[0-9]+$`)

// isAddress reports whether a text is a host with a port.
func isAddress(text string) bool {
	port, err := strconv.ParseUint(text[strings.LastIndexByte(text, ':')+1:], 10, 16)
	return err == nil && port > 0 && hostForm.MatchString(text)
}

// setForm matches the name of a master set.
var setForm = regexp.MustCompile(`^[A-Za-z0-9._-]*$`)

// Target is what a URL says.
type Target struct {
	addresses      []string
	user, password string
	database       int
	masterSet      string
	TLS, Cluster   bool
	// Password reports whether the URL has one.
	Password bool
}

// Addresses returns the hosts with their ports, or the path of a unix socket, which begins with a slash.
func (t Target) Addresses() []string { return t.addresses }

// Parse returns what the URL says.
func (u URL) Parse() (Target, error) {
	parsed, err := url.Parse(string(u))
	if err != nil || parsed.Fragment != "" {
		return Target{}, errURL
	}
	query := parsed.Query()
	for name := range query {
		if !slices.Contains(parameters, name) {
			return Target{}, errURL
		}
	}
	t := Target{user: parsed.User.Username(), masterSet: query.Get("master_set"), TLS: parsed.Scheme == "rediss", Cluster: query.Has("cluster")}
	t.password, t.Password = parsed.User.Password()
	ok, databases := !t.Cluster || query.Get("cluster") == "on", query["db"]
	switch parsed.Scheme {
	case "unix":
		ok = ok && parsed.Host == "" && strings.HasPrefix(parsed.Path, "/") && len(query["addr"]) == 0
		t.addresses = []string{strings.TrimSpace(parsed.Path)}
	case "redis", "rediss":
		t.addresses = append([]string{net.JoinHostPort(parsed.Hostname(), cmp.Or(parsed.Port(), "6379"))}, query["addr"]...)
		ok = ok && !slices.ContainsFunc(t.addresses, func(a string) bool { return !isAddress(a) })
		if parsed.Path != "" {
			databases = append([]string{parsed.Path[1:]}, databases...)
		}
	default:
		return Target{}, errURL
	}
	for _, text := range databases {
		t.database, err = strconv.Atoi(text)
		ok = ok && err == nil && t.database >= 0
	}
	if !ok || !setForm.MatchString(t.masterSet) ||
		t.Cluster && (t.database > 0 || t.masterSet != "") || !t.Cluster && t.masterSet == "" && len(t.addresses) > 1 {
		return Target{}, errURL
	}
	return t, nil
}
