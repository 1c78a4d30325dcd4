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
	apis     *client.Client
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
	var err error
	if e.apis, err = c.Connect(c.Settings); err != nil {
		return Report{}, err
	}
	defer e.apis.Close()
	for _, c := range checks() {
		switch {
		case c.what == readStream && !e.Settings.Live:
		case c.token && e.identity == nil:
			e.report.add(c.what, skipped("it needs a token that is accepted", ""))
		case e.down[c.service]:
			e.report.add(c.what, isDown(c.service))
		default:
			e.report.add(c.what, c.do(e))
		}
	}
	return e.report, nil
}

// row is a check of the report.
type row struct {
	what    string
	token   bool             // whether it needs a token that is accepted
	service upstream.Service // which must respond correctly; "" for neither
	// do makes the check. It reports further ones itself, and returns the zero Check if there is nothing to report.
	do func(*examination) Check
}

// checks are the checks in the order of the report.
func checks() []row {
	return []row{
		{"settings", false, "", (*examination).removed},
		{"open files", false, "", (*examination).files},
		{"memory", false, "", (*examination).memory},
		{"TLS", false, "", (*examination).listener},
		{streams, false, "", (*examination).streamSettings},
		{federation, false, "", (*examination).federationSettings},
		{"issuers", false, "", (*examination).issuers},
		{"sign-in of the pages", false, "", (*examination).pages},
		{"sign-in discovery", false, "", (*examination).discovery},
		{"sign-in discovery of assistants", false, "", (*examination).discoveryOfAssistants},
		{"service core", false, "", (*examination).core},
		{"service dispatcher", false, "", (*examination).dispatcher},
		{redisPrefix, false, "", (*examination).redis},
		{"clock", false, "", (*examination).clock},
		{"token", false, "", (*examination).token},
		{"scope " + scopeDispatcher, true, "", (*examination).scope},
		{"lists", true, upstream.Core, (*examination).lists},
		{readStream, true, upstream.Core, (*examination).poll},
		{"look up a notification", true, upstream.Dispatcher, (*examination).lookup},
		{paging, true, upstream.Core, (*examination).paging},
		{"links_metadata_pointer", true, "", (*examination).links},
	}
}

// isDown is a check that is skipped because it needs a service that does not respond correctly.
func isDown(service upstream.Service) Check {
	return skipped("the "+string(service)+" API did not respond correctly, see above", "")
}

// failedCall is a check that failed because of a call.
func (e *examination) failedCall(err error) Check { return failed(err.Error(), e.remedy(err)) }

// session makes calls with the caller's token.
func (e *examination) session() *client.Session {
	return e.apis.Open(client.Operation{Bearer: e.identity.Bearer(), Caller: e.identity.Caller()})
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
