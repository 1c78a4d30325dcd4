package transport

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

// readGet reads the members of a GET request from the query of its URL, whose length the server bounds with the header.
// A parameter that is empty is as one that is missing, as the specification says of operationName; query may be empty,
// as it may be in a POST.
func readGet(rawQuery string) (members, error) {
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
			value = strings.Clone(value) // documents are remembered, and must not keep the rest of the URL
			m.query = &value
		case "operationName":
			m.operationName = value
		case "documentId":
			m.documentID = value
		case "variables":
			m.variables, err = parseParameter(value, errVariables)
		case "extensions":
			m.extensions, err = parseParameter(value, errExtensions)
		}
		if err != nil {
			return m, err
		}
	}
	return m, nil
}

func parseParameter(value string, otherwise error) (map[string]any, error) {
	if value == "" {
		return nil, nil //nolint:nilnil // as a parameter that is missing
	}
	return parseObject(value, otherwise)
}
