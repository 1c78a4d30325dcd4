package gateway

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"pixgraph/auth"
	"pixgraph/gateway/settings"
	"pixgraph/sandbox"
	"pixgraph/web"
	"pixgraph/web/operations"
)

// newConsole creates the console. Over a sandbox there is one for each host of the issuer: a page signs in at the host
// that it was opened at, because a browser renews a session only between equal hosts.
func newConsole(s settings.Settings, box *sandbox.Sandbox, tokens *auth.Authenticator) (http.Handler, error) {
	if box == nil {
		config := consoleConfig(s)
		if config.SignIn != nil {
			config.SignIn.Origins = tokens.Origins
		}
		return web.New(config)
	}
	pages, first := map[string]http.Handler{}, ""
	for _, issuer := range slices.Backward(box.Issuer().URLs()) {
		u, err := url.Parse(issuer)
		if err != nil {
			return nil, fmt.Errorf("sandbox: %w", err)
		}
		s.ConsoleIssuer, first = issuer, u.Host
		if pages[u.Host], err = web.New(consoleConfig(s)); err != nil {
			return nil, err
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.Host]
		if !ok { // such as the host of a reverse proxy
			page = pages[first]
		}
		page.ServeHTTP(w, r)
	}), nil
}

// consoleConfig returns the console's configuration.
func consoleConfig(s settings.Settings) web.Config {
	config := web.Config{
		Fees: s.ConsoleFees, MaxCost: s.Limits.MaxCost, Trace: s.Trace == traceOn, Schema: s.Introspection, Links: s.LinksMetadataPointer != "",
		Gateway: operations.Gateway{PageNumber: s.Client.PageParam != "", PageSize: s.Client.PerPageParam != ""},
	}
	if s.ConsoleClientID != "" {
		config.SignIn = &web.SignIn{Issuer: s.SignIn(), ClientID: s.ConsoleClientID, Scopes: s.ConsoleScopes}
		if auth.ResourceAt(s.PublicURL, auth.GraphQLPath).IsAudience(s.Tokens.Audiences) {
			config.SignIn.Metadata = strings.TrimPrefix(auth.MetadataPath+auth.GraphQLPath, "/")
		}
	}
	return config
}
