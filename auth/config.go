package auth

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"pixgraph/internal/egress"
)

// Mode says whether the gateway verifies tokens, or only the APIs do.
type Mode string

const (
	// ModeOIDC verifies tokens against the keys of configured issuers.
	ModeOIDC Mode = "oidc"
	// ModeForward checks the form of the header and leaves verification to the upstream APIs. It must be chosen by
	// name.
	ModeForward Mode = "forward"
)

// What the operator of a gateway in ModeForward should know.
const (
	ForwardWarning = "auth_mode is forward: the gateway verifies no tokens, so clients with an invented token can read the schema and send operations; together they get an eighth of the shares"
	ForwardHint    = "set auth_mode to oidc if the gateway can verify the tokens; else set rate_address, introspection=off and persisted_only as far as clients allow"
)

// Leeway is the tolerated clock difference, for exp, nbf and iat. It covers clocks that are synchronized by NTP.
const Leeway = 30 * time.Second

// Config of an Authenticator. The zero value selects verification, and New rejects it because it lists no issuer.
type Config struct {
	// Mode is auth_mode; any other than ModeForward is ModeOIDC.
	Mode Mode
	// Issuers is auth_issuer: the exact iss of accepted tokens, and the URLs where discovery starts. https, or http on
	// loopback.
	Issuers []string
	// SignIn is the issuer at which users of the pages sign in, for Origins; "" for none. In ModeForward it is not one
	// of Issuers.
	SignIn string
	// Audiences is auth_audience: a token's aud must contain one of them.
	Audiences []string
	// Binding is auth_token_binding; any other than BindingProxy is BindingGateway. It has no effect in ModeForward:
	// the APIs verify.
	Binding Binding
	// Transport fetches discovery and keys; nil is egress.Direct. Redirects are never followed.
	Transport http.RoundTripper
	// Log receives key changes and failed fetches; nil logs nothing.
	Log *slog.Logger
}

// withDefaults returns c with defaults filled in, or an error that names a setting. The error repeats no value, because
// the value may be a token in the wrong setting.
func (c Config) withDefaults() (Config, error) {
	if c.Mode == ModeForward {
		if len(c.Issuers) > 0 || len(c.Audiences) > 0 {
			return c, fmt.Errorf("auth_mode %q verifies nothing: leave auth_issuer and auth_audience empty, or set auth_mode to %q", ModeForward, ModeOIDC)
		}
	} else if err := c.checkIssuers(); err != nil {
		return c, err
	}
	c.Issuers, c.Audiences = slices.Clone(c.Issuers), slices.Clone(c.Audiences)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Transport == nil {
		c.Transport = egress.Direct()
	}
	return c, nil
}

func (c Config) checkIssuers() error {
	if len(c.Issuers) == 0 {
		return fmt.Errorf("auth_issuer is empty: it needs the URL of at least one OIDC issuer; or set auth_mode to %q to let the APIs decide", ModeForward)
	}
	if len(c.Audiences) == 0 || slices.Contains(c.Audiences, "") {
		return errors.New("auth_audience is empty: it needs at least one audience that tokens must name")
	}
	for i, issuer := range c.Issuers {
		u, err := url.Parse(issuer)
		if err != nil || !Trustworthy(u) || u.RawQuery != "" || u.Fragment != "" {
			return errors.New("auth_issuer has an invalid value: it accepts https URLs without query or password, or http ones on loopback")
		}
		if slices.Contains(c.Issuers[:i], issuer) {
			return errors.New("auth_issuer lists the same URL twice")
		}
	}
	return nil
}

// Trustworthy reports whether the content at u is certain to come from the host in u: https, or http on loopback.
func Trustworthy(u *url.URL) bool {
	if u.Host == "" || u.User != nil {
		return false
	}
	switch u.Scheme {
	case "https":
		return true
	case "http":
		ip := net.ParseIP(u.Hostname())
		return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	default:
		return false
	}
}
