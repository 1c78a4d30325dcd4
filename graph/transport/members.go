package transport

import (
	"github.com/99designs/gqlgen/graphql"
	"github.com/go-faster/jx"
)

// DocumentID is the key in graphql.RawParams.Extensions under which extensions of the executor find the request's own
// documentId, always a non-empty string. What a client sends in its extensions under this key is dropped.
const DocumentID = "documentId"

// members are the parameters of a request, as the specification calls them. A parameter that is null is as one that is
// missing; unknown ones are ignored.
type members struct {
	query                     *string
	operationName, documentID string
	variables, extensions     map[string]any
}

// params makes of a well-formed request what the executor takes. Without a query it has to name a stored document.
func (m members) params() (*graphql.RawParams, error) {
	delete(m.extensions, DocumentID)
	if m.query == nil && m.documentID == "" && m.extensions["persistedQuery"] == nil {
		return nil, errNoQuery
	}
	if m.documentID != "" {
		if m.extensions == nil {
			m.extensions = map[string]any{}
		}
		m.extensions[DocumentID] = m.documentID
	}
	params := &graphql.RawParams{OperationName: m.operationName, Variables: m.variables, Extensions: m.extensions}
	if m.query != nil {
		params.Query = *m.query
	}
	return params, nil
}

// parseBody reads the members of a JSON object. A batch, an array, has an error of its own.
func parseBody(body []byte) (members, error) {
	var m members
	if err := checkText(body); err != nil {
		return m, errJSON
	}
	d := &decoder{Decoder: jx.DecodeBytes(body)}
	switch d.Next() {
	case jx.Object:
	case jx.Array:
		return m, errBatch
	case jx.Invalid:
		return m, errJSON
	default:
		return m, errNoObject
	}
	seen := map[string]bool{}
	err := d.Obj(func(_ *jx.Decoder, name string) error {
		if seen[name] {
			return errDuplicate
		}
		seen[name] = true
		return m.read(d, name)
	})
	if err != nil {
		return m, refusal(err, errJSON)
	}
	if !d.atEnd() {
		return m, errJSON
	}
	return m, nil
}

// read reads the member of the name. Its errors come before any of the members after it.
func (m *members) read(d *decoder, name string) error {
	value, err := d.value(1)
	if err != nil || value == nil {
		return err
	}
	switch name {
	case "query":
		text, ok := value.(string)
		if !ok {
			return errQuery
		}
		m.query = &text
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

// set puts a value where it belongs when it is of that type.
func set[T any](to *T, value any, otherwise error) error {
	typed, ok := value.(T)
	if !ok {
		return otherwise
	}
	*to = typed
	return nil
}
