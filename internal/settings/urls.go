package settings

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pixgraph/graph/transport"
	"pixgraph/upstream/client"
)

// The kinds of settings for URLs, origins, and the names of query parameters.

func baseURL(key, help string, field func(*Settings) *string) Setting {
	row := text(key, help, field)
	row.Accepts, row.needed = "an absolute http or https URL without user, query and fragment", true
	return checked(row, func(value string) error {
		base, err := client.ParseBaseURL(value)
		if err != nil {
			return err
		}
		return checkAuthority(base)
	})
}

// issuer is a setting for the URL of an issuer. Package auth checks it further.
func issuer(key, help string, field func(*Settings) *string) Setting {
	row := text(key, help, field)
	row.Accepts = "an https URL, or an http one on loopback, without user and query"
	return checked(row, func(value string) error {
		issuer, err := url.Parse(value)
		if err != nil {
			return err
		}
		return checkAuthority(issuer)
	})
}

// issuers is a setting for the URLs of several issuers.
func issuers(key, help string, field func(*Settings) *[]string) Setting {
	accepts := "a list of https URLs, or http URLs on loopback, without user and query, separated by commas"
	return listOf(key, "", accepts, help, field, func(text string) (string, error) {
		issuer, err := url.Parse(text)
		if err != nil {
			return "", err
		}
		return text, checkAuthority(issuer)
	}, unchanged)
}

func origins(key, help string, field func(*Settings) *[]string) Setting {
	accepts := "a list of origins such as https://app.example.com, in lower case and without default ports, separated by commas; or * alone"
	row := listOf(key, "", accepts, help, field, func(text string) (string, error) {
		if text == "*" {
			return text, nil
		}
		origin, err := url.Parse(text)
		if err != nil {
			return "", err
		}
		return text, checkAuthority(origin)
	}, unchanged)
	set := row.set
	row.set = func(s *Settings, value string) error {
		if err := set(s, value); err != nil {
			return err
		}
		_, err := transport.NewCORS(*field(s))
		return err
	}
	return row
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

// parameter is a setting for the name of a query parameter. The names of filters are rejected.
func parameter(key, help string, field func(*Settings) *string) Setting {
	row := text(key, help, field)
	row.Accepts = "the name of a query parameter, such as page or page[number], other than the filters'"
	return checked(row, func(value string) error {
		if !parameterForm.MatchString(value) || slices.Contains(filterNames(), value) {
			return errValue
		}
		return nil
	})
}

// filterNames are the parameters of spec 4.1 and 4.2: a page number with one of these names would replace the filter.
func filterNames() []string {
	return []string{
		"startDate", "endDate", "status", "minAmount", "maxAmount", "depositOrigin",
		"id", "pixKey", "endToEnd", "endToEndRefund", "externalCode",
	}
}
