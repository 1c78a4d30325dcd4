package fleet

import (
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/redis/rueidis"
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

// parameters are those of a URL. rueidis has others, of which one turns the verification of certificates off.
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
	options rueidis.ClientOption
	TLS     bool
	Cluster bool
	// Password reports whether the URL has one.
	Password bool
}

// Addresses returns the hosts with their ports, or the path of a unix socket, which begins with a slash.
func (t Target) Addresses() []string { return t.options.InitAddress }

// Parse returns what the URL says.
func (u URL) Parse() (t Target, err error) {
	parsed, err := url.Parse(string(u))
	if err != nil {
		return t, errURL
	}
	query := parsed.Query()
	for name := range query {
		if !slices.Contains(parameters, name) {
			return t, errURL
		}
	}
	cluster := query.Get("cluster")
	if cluster != "" && cluster != "on" || parsed.Fragment != "" || !slices.Contains([]string{"redis", "rediss", "unix"}, parsed.Scheme) {
		return t, errURL
	}
	if parsed.Scheme == "unix" && (parsed.Host != "" || !strings.HasPrefix(parsed.Path, "/") || len(query["addr"]) > 0) ||
		parsed.Scheme != "unix" && parsed.Hostname() == "" {
		return t, errURL
	}
	o, err := rueidis.ParseURL(string(u))
	if parsed.Scheme != "unix" && slices.ContainsFunc(o.InitAddress, func(a string) bool { return !isAddress(a) }) {
		return t, errURL
	}
	if err != nil || o.SelectDB < 0 || !setForm.MatchString(o.Sentinel.MasterSet) || cluster != "" && (o.SelectDB > 0 || strings.Trim(parsed.Path, "/0") != "" || o.Sentinel.MasterSet != "") ||
		cluster == "" && o.Sentinel.MasterSet == "" && len(o.InitAddress) > 1 {
		return t, errURL
	}
	_, t.Password = parsed.User.Password()
	t.TLS, t.Cluster = parsed.Scheme == "rediss", cluster != ""
	t.options = rueidis.ClientOption{
		InitAddress: o.InitAddress, Username: o.Username, Password: o.Password, SelectDB: o.SelectDB,
		Sentinel: rueidis.SentinelOption{MasterSet: o.Sentinel.MasterSet}, ForceSingleClient: cluster == "",
	}
	return t, nil
}
