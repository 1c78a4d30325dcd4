package message

import (
	"cmp"
	"io"

	"github.com/go-faster/jx"
)

// maxID bounds the id of an operation, in bytes. Clients use UUIDs.
const maxID = 128

// WebSocket is a message of a client in the protocol graphql-transport-ws.
type WebSocket struct {
	Type, ID      string
	Payload       []byte   // JSON; nil without one. It is part of the text that was parsed.
	Authorization []string // of connection_init, as the values of a header; nil without one
}

// ParseWebSocket decodes a message. It checks the members that belong to its type, except the payload of subscribe,
// which Parse reads.
func ParseWebSocket(text []byte) (WebSocket, error) {
	var m WebSocket
	if err := checkText(text); err != nil {
		return m, ErrJSON
	}
	d := &decoder{Decoder: jx.DecodeBytes(text)}
	if d.Next() != jx.Object {
		return m, ErrNoObject
	}
	seen := map[string]bool{}
	err := d.Obj(func(_ *jx.Decoder, name string) (err error) {
		if seen[name] {
			return errDuplicate
		}
		seen[name] = true
		switch name {
		case "type":
			m.Type, err = d.Str()
		case "id":
			m.ID, err = d.Str()
		case "payload":
			m.Payload, err = d.Raw()
		default:
			err = d.Skip()
		}
		return err
	})
	switch needsID := m.Type == "subscribe" || m.Type == "complete"; {
	case err != nil || d.Skip() != io.EOF: //nolint:errorlint // jx returns io.EOF itself
		return m, ErrJSON
	case needsID && (m.ID == "" || len(m.ID) > maxID):
		return m, ErrJSON
	case m.Type == "connection_init" && m.Payload != nil:
		m.Authorization, err = authorizationIn(m.Payload)
	}
	return m, err
}

// authorizationIn returns the token in the payload of connection_init, which must be a string: the members
// Authorization and authorization are the values of a header.
func authorizationIn(payload []byte) (values []string, err error) {
	decoded, err := parse(string(payload), ErrJSON)
	var object map[string]any
	if err = cmp.Or(err, set(&object, decoded, ErrNoObject)); err != nil {
		return nil, err
	}
	for _, name := range []string{"Authorization", "authorization"} {
		switch value := object[name].(type) {
		case nil:
		case string:
			values = append(values, value)
		default:
			return nil, ErrJSON
		}
	}
	return values, nil
}
