package message

import (
	"cmp"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql"
)

// ReadURL reads the parameters of a GET request from the query of its URL.
func ReadURL(rawQuery string) (*graphql.RawParams, error) {
	m, err := parseURL(rawQuery)
	if err != nil {
		return nil, err
	}
	return m.params()
}

// parseURL decodes the query of a URL. The server's limit on headers bounds its length. An empty parameter counts as
// absent, as the specification says for operationName; query may be empty, as in a POST.
func parseURL(rawQuery string) (m members, err error) {
	values, err := url.ParseQuery(rawQuery)
	if err != nil {
		return m, errURL
	}
	for _, name := range [...]string{"query", "operationName", "documentId", "variables", "extensions"} {
		given := values[name]
		switch {
		case len(given) == 0:
			continue
		case len(given) > 1:
			return m, errRepeated
		case !utf8.ValidString(given[0]):
			return m, errURL
		}
		var value any = strings.Clone(given[0]) // documents are cached, and must not retain the rest of the URL
		if (name == "variables" || name == "extensions") && value != "" {
			value, err = parse(given[0], errParameterJSON)
		}
		if err = cmp.Or(err, m.set(name, value)); err != nil {
			return m, err
		}
	}
	return m, nil
}
