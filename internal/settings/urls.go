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

// The kinds of settings that are URLs, origins, or a part of a URL: the names of query parameters.

func baseURL(key, help string, field func(*Settings) *string) Setting {
	row := text(key, help, field)
	row.Takes, row.needed = "an absolute http or https URL without user, query and fragment", true
	return checked(row, func(value string) error {
		base, err := client.ParseBaseURL(value)
		if err != nil {
			return err
		}
		return checkAuthority(base)
	})
}

// issuer is a URL; package auth says more about it than that.
func issuer(key, help string, field func(*Settings) *string) Setting {
	row := text(key, help, field)
	row.Takes = "a https URL, or a http one on loopback, without user and query"
	return checked(row, func(value string) error {
		issuer, err := url.Parse(value)
		if err != nil {
			return err
		}
		return checkAuthority(issuer)
	})
}

// issuers are several of them.
func issuers(key, help string, field func(*Settings) *[]string) Setting {
	takes := "a list of https URLs, or http ones on loopback, without user and query, separated by commas"
	return listOf(key, "", takes, help, field, func(text string) (string, error) {
		issuer, err := url.Parse(text)
		if err != nil {
			return "", err
		}
		return text, checkAuthority(issuer)
	}, itself)
}

func origins(key, help string, field func(*Settings) *[]string) Setting {
	takes := "a list of origins such as https://app.example.com, in lower case and without default ports, separated by commas; or * alone"
	row := listOf(key, "", takes, help, field, func(text string) (string, error) {
		if text == "*" {
			return text, nil
		}
		origin, err := url.Parse(text)
		if err != nil {
			return "", err
		}
		return text, checkAuthority(origin)
	}, itself)
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

// checkAuthority refuses users and passwords, which the startup line would show, and the ports that url.Parse lets through:
// those above 65535, 0, and none after a colon.
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

// parameterForm is what the names of query parameters are made of; anything else is a slip of the hand.
var parameterForm = regexp.MustCompile(`^[A-Za-z0-9._~$\[\]-]+$`)

// parameter is the name of a query parameter that is not a filter's.
func parameter(key, help string, field func(*Settings) *string) Setting {
	row := text(key, help, field)
	row.Takes = "the name of a query parameter, such as page or page[number], other than the filters'"
	return checked(row, func(value string) error {
		if !parameterForm.MatchString(value) || slices.Contains(filterNames(), value) {
			return errValue
		}
		return nil
	})
}

// filterNames are the parameters of spec 4.1 and 4.2: a page number under one of them would take the place of the filter.
func filterNames() []string {
	return []string{
		"startDate", "endDate", "status", "minAmount", "maxAmount", "depositOrigin",
		"id", "pixKey", "endToEnd", "endToEndRefund", "externalCode",
	}
}
