package settings

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pixgraph/internal/egress"
	"pixgraph/serve/cors"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// The kinds of URLs, origins, and the names of query parameters.

// urlOf is a kind of URLs that parse accepts.
func urlOf(accepts string, parse func(string) (*url.URL, error)) kind[string] {
	return checked("URL", accepts, func(value string) error {
		u, err := parse(value)
		if err != nil {
			return err
		}
		return checkAuthority(u)
	})
}

func baseURL() kind[string] {
	k := urlOf("a URL, http or https, without user, query and fragment", client.ParseBaseURL)
	k.needed = true
	return k
}

// publicURL is the URL of the gateway for its clients, with a host and a path that need no escapes: a header has
// the URL in quotes, and routes are derived from its path. It has the form that clients give it before they request
// tokens for it: with another one, audiences would differ.
func publicURL() kind[string] {
	const accepts = "a URL, https or http, with a host in lower case, no port 443 or 80, and at most a path of letters, digits and -._~, such as https://pay.example.com"
	return urlOf(accepts, func(text string) (*url.URL, error) {
		u, err := client.ParseBaseURL(text)
		if err == nil && (!withPlainPath.MatchString(text) || slices.Contains([]string{"443", "80"}, u.Port()) || strings.HasPrefix(u.Port(), "0")) {
			err = errValue
		}
		return u, err
	})
}

var withPlainPath = regexp.MustCompile(`^https?://[a-z0-9._~:\[\]-]+(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*/?$`)

// proxy is the URL of a proxy.
func proxy() kind[string] { return urlOf("a URL of the form http://host:port", egress.ParseProxy) }

// issuer is the URL of an issuer. Package auth checks it further.
func issuer() kind[string] {
	return urlOf("a URL, https or http on loopback, without user and query", url.Parse)
}

func issuers() kind[[]string] {
	return listOf(issuer(), "a list of URLs, https or http on loopback, without user and query")
}

func origins() kind[[]string] {
	k := listOf(issuer(), "a list of origins such as https://app.example.com, in lower case and without default ports, or * alone")
	parse := k.parse
	k.parse = func(text string) ([]string, error) {
		list, err := parse(text)
		if err == nil {
			_, err = cors.New(cors.Config{Origins: list})
		}
		return list, err
	}
	return k
}

// checkAuthority rejects a user or password, which the startup line would log, and the ports that url.Parse accepts: 0,
// ports above 65535, and an empty one after a colon.
func checkAuthority(u *url.URL) error {
	if u.User != nil {
		return errValue
	}
	port := u.Port()
	if port == "" && !strings.HasSuffix(u.Host, ":") {
		return nil
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return errValue
	}
	return nil
}

// parameterForm matches the names of query parameters. Another character is probably a mistake.
var parameterForm = regexp.MustCompile(`^[A-Za-z0-9._~$\[\]-]+$`)

// parameter is the name of a query parameter. The names of filters are rejected: a page number would replace the
// filter.
func parameter() kind[string] {
	return checked("name", "the name of a query parameter, such as page or page[number], other than the filters'", func(value string) error {
		if !parameterForm.MatchString(value) || slices.Contains(upstream.FilterParameters(), value) {
			return errValue
		}
		return nil
	})
}
