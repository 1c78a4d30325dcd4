package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"pixgraph/auth"
)

// issuers fetches the discovery document and the keys of each issuer, as a gateway does.
func (e *examination) issuers() Check {
	if e.Settings.Tokens.Mode == auth.ModeForward {
		return warned(auth.ForwardWarning, auth.ForwardHint)
	}
	for _, issuer := range e.Settings.Tokens.Issuers {
		e.connection("connection "+issuer, "auth", issuer, e.Issuer)
		what := "issuer " + issuer
		found, err := e.Authenticator.Inspect(e.ctx, issuer)
		switch {
		case err != nil:
			says, hint := explainIssuer(err, issuer)
			e.report.add(what, failed(err.Error()+says, cmp.Or(hintOf(err, "auth"), hint)))
		case len(found.Algorithms) == 0:
			e.report.add(what, failed(plural(found.Keys, "key")+", for no algorithm of signatures"+ignored(found),
				"the issuer must publish a key for RS, PS or ES with 256, 384 or 512, or for EdDSA"))
		default:
			e.report.add(what, passed(fmt.Sprintf("%s for %s", plural(found.Keys, "key"), strings.Join(found.Algorithms, ", "))+ignored(found)))
		}
	}
	return Check{}
}

// explainIssuer returns what an issuer's documents say about the reason why its keys cannot be fetched, and what to do
// about it.
func explainIssuer(err error, issuer string) (says, hint string) {
	var foreign *auth.ForeignIssuerError
	switch document := strings.TrimSuffix(issuer, "/") + auth.DiscoveryPath; {
	case errors.As(err, &foreign):
		return ": " + cmp.Or(foreign.Named, "absent"), "auth_issuer must equal the name in the document, and the iss of the tokens, to the slash"
	case errors.Is(err, auth.ErrOAuthMetadata):
		return "", "the issuer must serve " + document + " (OpenID Connect Discovery)"
	case errors.Is(err, auth.ErrRedirect):
		return "", "set auth_issuer to the URL where the documents are, if they name it as their issuer"
	case errors.Is(err, auth.ErrHTML):
		return "", "another server, or a page to sign in at a proxy, answers at " + document
	default:
		return "", "auth_issuer must equal the iss of the tokens exactly, and " + document + " must be reachable from here"
	}
}

// ignored says which keys of an issuer are not used.
func ignored(found auth.Published) string {
	var list []string
	for reason, n := range found.Ignored {
		list = append(list, fmt.Sprintf("%d: %s", n, reason))
	}
	if len(list) == 0 {
		return ""
	}
	slices.Sort(list)
	return "; not used, " + strings.Join(list, "; ")
}

// pages checks whether the pages may read the issuer at which their users sign in. Browsers ask for it (CORS) with the
// origin of the page, which only public_url says.
func (e *examination) pages() Check {
	s := e.Settings
	public, err := url.Parse(s.PublicURL)
	if err != nil || s.PublicURL == "" || !s.Console || s.SignIn() == "" {
		return Check{}
	}
	origin := public.Scheme + "://" + public.Host
	issuer := s.SignIn()
	server, err := url.Parse(strings.TrimSuffix(issuer, "/") + auth.DiscoveryPath)
	if err != nil || server.Scheme+"://"+server.Host == origin {
		return Check{}
	}
	p, err := e.probe(&connected{server: server, access: e.Issuer}, asGateway, origin)
	switch allowed := p.header.Get("Access-Control-Allow-Origin"); {
	case err != nil:
		return skipped("the issuer did not respond, see above", "")
	case allowed == "*" || allowed == origin:
		return passed("the issuer lets pages of " + origin + " read its configuration")
	default:
		return warned("the issuer does not let pages of "+origin+" read its configuration (CORS): nobody can sign in there",
			"add this origin at the issuer, often as a web origin of the client "+s.ConsoleClientID)
	}
}
