// Package doctor looks into whether a gateway would work with its settings: it asks the issuers, the two services and the
// paging parameters what a gateway would ask them, with the gateway's own client and verifier, and says what came of it.
//
// It serves nothing, changes nothing and measures nothing: each question is a GET or two. What it reports holds no token,
// no id and nothing of a record but counts.
//
// Read Run first.
package doctor

import (
	"context"
	"errors"
	"time"

	"pixgraph/auth"
	"pixgraph/internal/settings"
	"pixgraph/upstream"
)

// Config is what is to be looked into.
type Config struct {
	Settings      settings.Settings
	Authenticator *auth.Authenticator
	// Connect makes a client as a gateway of these settings has it.
	Connect func(settings.Settings) (*upstream.Client, error)
	// Token is a caller's, as it is sent behind "Bearer "; without one only what needs none is looked into.
	Token string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// examination is one run, and what it has found out.
type examination struct {
	Config
	report   Report
	ctx      context.Context
	identity *auth.Identity // of the token; nil without one
	scopes   bool           // whether the caller's scopes are known
	// down are the services that do not answer as they should: asking them more would only repeat it.
	down map[upstream.Service]bool
}

// Run asks everything, one after the other. Its error says that the settings make no client; what is wrong behind them is
// in the report.
func Run(ctx context.Context, c Config) (Report, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	e := &examination{Config: c, ctx: ctx, down: map[upstream.Service]bool{}}
	client, err := c.Connect(c.Settings)
	if err != nil {
		return Report{}, err
	}
	defer client.Close()
	e.issuers()
	e.services(client)
	e.token()
	if e.identity != nil {
		e.lists(client)
		e.lookup(client)
		if err := e.paging(client); err != nil {
			return Report{}, err
		}
		e.links(client)
	}
	return e.report, nil
}

// connected has a client of other settings for as long as use takes.
func (e *examination) connected(s settings.Settings, use func(*upstream.Client)) error {
	client, err := e.Connect(s)
	if err != nil {
		return err
	}
	defer client.Close()
	use(client)
	return nil
}

// session makes calls with the caller's token.
func (e *examination) session(client *upstream.Client) *upstream.Session {
	return client.Open(upstream.Operation{Bearer: e.identity.Bearer(), Caller: e.identity.Caller()})
}

// remedy says what can be done about a call that failed. It is what the caller of a service can do, so it goes by kind.
func (e *examination) remedy(err error) string {
	var failed *upstream.Error
	if !errors.As(err, &failed) {
		return ""
	}
	url := "core_url"
	if failed.Service == upstream.Dispatcher {
		url = "dispatcher_url"
	}
	switch failed.Kind {
	case upstream.KindUnauthenticated:
		return "the service refuses a token that the gateway takes: see which issuer and audience it wants"
	case upstream.KindForbidden:
		return "the token lacks a permission of the service: ask whoever gives the tokens"
	case upstream.KindUnavailable:
		return "see that " + url + " is right and can be reached from here: name, port, firewall, certificate"
	case upstream.KindTimeout:
		return "the service is slow, or something on the way swallows the call; upstream_timeout is " + e.Settings.UpstreamTimeout.String()
	case upstream.KindServerError:
		return "the service fails by itself: ask whoever runs it"
	case upstream.KindRateLimited:
		return "too many calls: try again later"
	case upstream.KindNotFound, upstream.KindInvalidResponse:
		return "what answers there is not this API: see the path of " + url
	case upstream.KindInvalidInput:
		return "the service refuses what the spec allows"
	default:
		return ""
	}
}
