package message

import (
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
func parseURL(rawQuery string) (members, error) {
	var m members
	values, err := url.ParseQuery(rawQuery)
	if err != nil {
		return m, errURL
	}
	for _, name := range [...]string{"query", "operationName", "documentId", "variables", "extensions"} {
		given := values[name]
		if len(given) > 1 {
			return m, errRepeated
		}
		if len(given) == 0 {
			continue
		}
		value := given[0]
		if !utf8.ValidString(value) {
			return m, errURL
		}
		switch name {
		case "query":
			m.query, m.hasQuery = strings.Clone(value), true // documents are cached, and must not retain the rest of the URL
		case "operationName":
			m.operationName = value
		case "documentId":
			m.documentID = value
		case "variables":
			m.variables, err = parseObject(value, errVariables)
		case "extensions":
			m.extensions, err = parseObject(value, errExtensions)
		}
		if err != nil {
			return m, err
		}
	}
	return m, nil
}
