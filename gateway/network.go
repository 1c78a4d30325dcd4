package gateway

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"pixgraph/auth"
	"pixgraph/fleet"
	"pixgraph/gateway/settings"
	"pixgraph/graph/guard/limits"
	"pixgraph/internal/egress"
	"pixgraph/sandbox"
	"pixgraph/upstream/client"
	"pixgraph/upstream/http1"
)

// retries is how often a call is retried. The failure that a retry mends is a connection that was lost; an API that
// fails twice should not get more calls.
const retries = 1

// network has the connections to the servers that a gateway calls.
type network struct {
	core, dispatcher, issuer *egress.Access
	redis                    *egress.Access // nil without redis_url
}

// openNetwork reads the certificates and credentials that the settings name, and watches them for changes.
func openNetwork(s settings.Settings, sockets Sockets, log *slog.Logger) (n network, err error) {
	open := func(c egress.Config) *egress.Access {
		c.ConnectTimeout, c.ConnectionAge, c.IdleTime = client.DefaultConnectTimeout, client.DefaultConnectionAge, http1.DefaultIdleTime
		c.Dialer, c.Resolver, c.Log = sockets, sockets, log
		access, failed := egress.Open(c)
		err = errors.Join(err, failed)
		return access
	}
	n = network{core: open(s.Core), dispatcher: open(s.Dispatcher), issuer: open(s.Auth)}
	if s.Fleet.URL != "" {
		n.redis = open(s.Redis)
	}
	if err != nil {
		n.close()
	}
	return n, err
}

func (n network) close() {
	for _, access := range n.all() {
		access.Close()
	}
}

// all returns the connections that were opened.
func (n network) all() []*egress.Access {
	return slices.DeleteFunc([]*egress.Access{n.core, n.dispatcher, n.issuer, n.redis}, func(a *egress.Access) bool { return a == nil })
}

// expiries adds the times until which the client certificates of the gateway are valid, by their settings.
func (n network) expiries(by map[string]time.Time) {
	for _, access := range n.all() {
		access.Expiries(by)
	}
}

// newAuthenticator returns the verifier of tokens. The issuer of a sandbox is in this process.
func (n network) newAuthenticator(s settings.Settings, box *sandbox.Sandbox, log *slog.Logger) (*auth.Authenticator, error) {
	config := s.Verified()
	config.Log, config.Transport = log, n.issuer
	if box != nil {
		config.Transport = box.Client().Transport
	}
	return auth.New(config)
}

// newFleet returns this replica's part of a fleet, nil without Redis.
func (n network) newFleet(s settings.Settings, log *slog.Logger) (*fleet.Fleet, error) {
	if n.redis == nil {
		return nil, nil //nolint:nilnil // there is no fleet, which is no error
	}
	config := s.Fleet
	config.Dial, config.TLS, config.Log = n.redis.Dial, n.redis.TLS, log
	if s.Persisted.Registers() {
		config.Documents = limits.DefaultBytes
	}
	return fleet.Open(config)
}

func (n network) newClient(s settings.Settings) (*client.Client, error) {
	config := s.Client
	config.Core, config.Dispatcher, config.Retries, config.Coalesce = n.core, n.dispatcher, retries, true
	return client.New(config)
}

// protocolOf says which HTTP client calls an API, and which protocol it uses, for the startup line.
func protocolOf(http client.HTTP, url string) string {
	if http == client.NetHTTP && strings.HasPrefix(url, "https:") {
		return string(http) + " (HTTP/2 if the API offers it)"
	}
	return string(http) + " (HTTP/1.1)"
}
