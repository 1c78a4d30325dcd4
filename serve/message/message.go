// Package message reads the parameters of an operation from what a client sends: the body of a POST, the URL of a GET,
// or a message of a WebSocket. It is strict: JSON is read as its specification defines it, within limits of its size,
// its depth and its number of values. Its memory is charged to an account while it arrives.
//
// It knows no headers except those of the body, and not what an operation may contain. Its errors are of type
// apierror.Error, and never repeat parts of a request.
//
// Read Parse first.
package message

import (
	"cmp"

	"github.com/99designs/gqlgen/graphql"
	"github.com/go-faster/jx"
)

// documentID is the key in graphql.RawParams.Extensions with which package persisted finds the documentId of a request,
// a non-empty string. A value with this key in the client's extensions is dropped.
const documentID = "documentId"

// Parse returns the parameters in a JSON object.
func Parse(body []byte) (*graphql.RawParams, error) {
	m, err := parseBody(body)
	if err != nil {
		return nil, err
	}
	return m.params()
}

// members are the parameters of a request, as the specification calls them. A null counts as absent; unknown parameters
// are ignored.
type members struct {
	query                     string
	hasQuery                  bool
	operationName, documentID string
	variables, extensions     map[string]any
}

// params converts a well-formed request to gqlgen's parameters. Without a query, the request must name a stored
// document.
func (m members) params() (*graphql.RawParams, error) {
	delete(m.extensions, documentID)
	if !m.hasQuery && m.documentID == "" && m.extensions["persistedQuery"] == nil {
		return nil, errNoQuery
	}
	if m.documentID != "" {
		if m.extensions == nil {
			m.extensions = map[string]any{}
		}
		m.extensions[documentID] = m.documentID
	}
	return &graphql.RawParams{Query: m.query, OperationName: m.operationName, Variables: m.variables, Extensions: m.extensions}, nil
}

// parseBody decodes the members of a JSON object.
func parseBody(body []byte) (members, error) {
	var m members
	d, err := newDecoder(body, maxValues)
	if err != nil {
		return m, ErrJSON
	}
	defer d.release()
	if err := d.beginsObject(); err != nil {
		return m, err
	}
	seen := map[string]bool{}
	err = d.Obj(func(_ *jx.Decoder, name string) (err error) {
		if seen[name] {
			return errDuplicate
		}
		seen[name] = true
		if name == "query" && d.Next() == jx.String { // usual, and here it allocates less
			if err = d.count(); err == nil {
				m.query, err = d.text()
				m.hasQuery = true
			}
			return err
		}
		value, err := d.value(1)
		return cmp.Or(err, m.set(name, value))
	})
	return m, d.end(err, ErrJSON)
}

// set stores the value of a member.
func (m *members) set(name string, value any) error {
	switch name {
	case "query":
		m.hasQuery = value != nil
		return set(&m.query, value, errQuery)
	case "operationName":
		return set(&m.operationName, value, errOperationName)
	case "documentId":
		return set(&m.documentID, value, errDocumentID)
	case "variables":
		return set(&m.variables, value, errVariables)
	case "extensions":
		return set(&m.extensions, value, errExtensions)
	}
	return nil
}

// set stores a value if it has the right type. null counts as absent, and so does an empty text: forms send it for
// objects too.
func set[T any](to *T, value any, otherwise error) error {
	typed, ok := value.(T)
	if !ok && value != nil && value != "" {
		return otherwise
	}
	*to = typed
	return nil
}
