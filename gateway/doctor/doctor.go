// Package doctor checks whether a gateway would work with its settings. It sends the requests that a gateway sends to
// the issuers and the two services, with the gateway's own client and verifier, and its commands to Redis, and reports
// the results.
//
// It serves nothing and changes nothing: each check is one or two GETs, and the keys in Redis expire at once. The
// report contains no token, no password, no id, and nothing of a record but counts.
//
// Read Run first.
package doctor

import (
	"context"
	"errors"
	"net/http"

	"pixgraph/auth"
	"pixgraph/gateway/settings"
	"pixgraph/internal/egress"
	"pixgraph/internal/netcause"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// Config is what to check.
type Config struct {
	Settings      settings.Settings
	Authenticator *auth.Authenticator
	// Connect creates a client as a gateway with these settings does.
	Connect func(settings.Settings) (*client.Client, error)
	// Core, Dispatcher and Issuer make the connections to the servers.
	Core, Dispatcher, Issuer *egress.Access
	// Redis makes those to Redis. It is nil without redis_url.
	Redis *egress.Access
	// PrivateCA is the path of a file of CAs that clients trust in addition to those of the system; "" for none.
	PrivateCA string
	// Public makes the requests to public_url; nil for http.DefaultTransport.
	Public http.RoundTripper
	// Token is a caller's token, without "Bearer "; if it is empty, only checks that need no token are made.
	Token string
	// OpenFiles is how many files a process may open where the gateway will run; 0 if it is unknown.
	OpenFiles int
	// Memory is the memory, in bytes, that a process may use where the gateway will run; 0 if it is not limited.
	Memory int64
}

// examination is one run and its results so far.
type examination struct {
	Config
	report   Report
	ctx      context.Context
	identity *auth.Identity // of the token; nil without one
	// down has the services that do not respond correctly: further checks of them would report the same again.
	down map[upstream.Service]bool
	// connections has the last connection to each server, by the prefix of its settings.
	connections map[string]*connected
	servers     []*connected // the connections in the order of the report
}

// Run makes all checks, one after the other. It returns an error if no client can be created from the settings.
// Everything else is in the report.
func Run(ctx context.Context, c Config) (Report, error) {
	e := &examination{Config: c, ctx: ctx, down: map[upstream.Service]bool{}, connections: map[string]*connected{}}
	apis, err := c.Connect(c.Settings)
	if err != nil {
		return Report{}, err
	}
	defer apis.Close()
	e.removed()
	e.files()
	e.memory()
	e.listener()
	e.streamSettings()
	e.federationSettings()
	e.issuers()
	e.pages()
	e.discovery()
	e.services(apis)
	e.redis()
	e.clock()
	e.token()
	if e.identity == nil {
		e.unchecked()
		return e.report, nil
	}
	e.lists(apis)
	e.poll(apis)
	e.lookup(apis)
	e.paging(apis)
	e.links(apis)
	return e.report, nil
}

// skips reports whether a check is skipped, because the service that it needs does not respond correctly.
func (e *examination) skips(what string, service upstream.Service) bool {
	if e.down[service] {
		e.report.add(what, Skipped, "the "+string(service)+" API did not respond correctly, see above", "")
	}
	return e.down[service]
}

// failed reports a check that failed because of a call.
func (e *examination) failed(what string, err error) {
	e.report.add(what, Fail, err.Error(), e.remedy(err))
}

// session makes calls with the caller's token.
func (e *examination) session(apis *client.Client) *client.Session {
	return apis.Open(client.Operation{Bearer: e.identity.Bearer(), Caller: e.identity.Caller()})
}

// remedy returns what the operator can do about a failed call. It depends on the kind of the error.
func (e *examination) remedy(err error) string {
	var failed *upstream.Error
	if !errors.As(err, &failed) {
		return ""
	}
	url := urlSetting(string(failed.Service))
	switch failed.Kind {
	case upstream.KindUnauthenticated:
		return "the service rejects a token that the gateway accepts: check which issuer and audience it expects"
	case upstream.KindForbidden:
		return "the token lacks a permission of the service: ask the administrator of the issuer"
	case upstream.KindUnavailable:
		if hint := hintOf(err, string(failed.Service)); hint != "" {
			return hint
		}
		if c := e.connections[string(failed.Service)]; c != nil && failed.Status == 0 {
			if hint := e.http2Only(c); hint != "" {
				return hint
			}
			if c.asked { // its alert may be lost: the connection is reset
				return hintOf(netcause.ErrClientCertificate, string(failed.Service))
			}
		}
		return "check that " + url + " is correct and reachable from here: name, port, firewall, certificate"
	case upstream.KindTimeout:
		return "the service is slow, or the network drops the call; upstream_timeout is " + e.Settings.Client.Timeout.String()
	case upstream.KindServerError:
		return "the API returns errors: contact its operator"
	case upstream.KindRateLimited:
		return "too many calls: try again later"
	case upstream.KindNotFound, upstream.KindInvalidResponse:
		return "the response is not from this API: check the path of " + url
	case upstream.KindInvalidInput:
		return "the service rejects a request that the spec allows"
	default:
		return ""
	}
}
