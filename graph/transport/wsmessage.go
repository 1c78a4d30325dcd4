package transport

import (
	"github.com/go-faster/jx"
)

// maxID bounds the id of an operation, in bytes. Clients use UUIDs.
const maxID = 128

// message is a message of a client in the protocol graphql-transport-ws.
type message struct {
	kind, id      string
	payload       []byte   // JSON; nil without one. It is part of the text that was parsed.
	authorization []string // of connection_init, as the values of a header; nil without one
}

// parseMessage decodes a message. It checks the members that belong to its type, except the payload of subscribe.
func parseMessage(text []byte) (message, error) {
	var m message
	if err := checkText(text); err != nil {
		return m, errJSON
	}
	d := &decoder{Decoder: jx.DecodeBytes(text)}
	if d.Next() != jx.Object {
		return m, errNoObject
	}
	seen := map[string]bool{}
	err := d.Obj(func(_ *jx.Decoder, name string) (err error) {
		if seen[name] {
			return errDuplicate
		}
		seen[name] = true
		switch name {
		case "type":
			m.kind, err = d.Str()
		case "id":
			m.id, err = d.Str()
		case "payload":
			m.payload, err = d.Raw()
		default:
			err = d.Skip()
		}
		return err
	})
	switch needsID := m.kind == "subscribe" || m.kind == "complete"; {
	case err != nil || !d.atEnd():
		return m, errJSON
	case needsID && (m.id == "" || len(m.id) > maxID):
		return m, errJSON
	case m.kind == "connection_init" && m.payload != nil:
		m.authorization, err = authorizationIn(m.payload)
	}
	return m, err
}

// authorizationIn returns the token in the payload of connection_init, which must be a string: the members Authorization and
// authorization are the values of a header.
func authorizationIn(payload []byte) ([]string, error) {
	object, err := parseObject(string(payload), errNoObject)
	if err != nil {
		return nil, err
	}
	var values []string
	for _, name := range []string{"Authorization", "authorization"} {
		switch value := object[name].(type) {
		case nil:
		case string:
			values = append(values, value)
		default:
			return nil, errJSON
		}
	}
	return values, nil
}
