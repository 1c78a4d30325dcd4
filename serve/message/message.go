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
	if err := checkText(body); err != nil {
		return m, ErrJSON
	}
	pooled := jx.GetDecoder()
	defer jx.PutDecoder(pooled)
	pooled.ResetBytes(body)
	d := &decoder{Decoder: pooled, limit: maxValues}
	if len(body) <= maxScratch {
		scratch := Buffers.Get()
		defer Buffers.Put(scratch)
		scratch.Grow(len(body))
		d.scratch = scratch.AvailableBuffer()
	}
	if err := d.beginsObject(); err != nil {
		return m, err
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
		return m, refusal(err, ErrJSON)
	}
	if !d.atEnd() {
		return m, ErrJSON
	}
	return m, nil
}

// read decodes the member with the given name.
func (m *members) read(d *decoder, name string) (err error) {
	if name == "query" && d.Next() == jx.String {
		if err = d.count(); err == nil {
			m.query, err = d.text()
			m.hasQuery = true
		}
		return err
	}
	value, err := d.value(1)
	if err != nil || value == nil {
		return err
	}
	switch name {
	case "query":
		return errQuery
	case "operationName":
		return set(&m.operationName, value, errOperationName)
	case "documentId":
		return set(&m.documentID, value, errDocumentID)
	case "variables":
		return setObject(&m.variables, value, errVariables)
	case "extensions":
		return setObject(&m.extensions, value, errExtensions)
	}
	return nil
}

// setObject stores an object. An empty text counts as absent, as it does in a URL: forms send it.
func setObject(to *map[string]any, value any, otherwise error) error {
	if value == "" {
		return nil
	}
	return set(to, value, otherwise)
}

// set stores a value if it has the right type.
func set[T any](to *T, value any, otherwise error) error {
	typed, ok := value.(T)
	if !ok {
		return otherwise
	}
	*to = typed
	return nil
}
