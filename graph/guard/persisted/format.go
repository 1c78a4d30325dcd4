package persisted

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/go-faster/jx"
)

// Operation is one document of a manifest.
type Operation struct {
	ID   string
	Text string
	Name string // of the operation in the text; "" if the manifest does not name it
	Kind string // query, mutation or subscription; "" if the manifest does not say
}

// apolloFormat is the format member of a manifest of Apollo's tools, in version 1.
const apolloFormat = `"apollo-persisted-query-manifest"`

// ReadOperations parses a manifest file, in the form of Apollo or genqlient, with an array of operations, or in that of
// Relay, an object of texts by id. It returns at least one operation. Ids are unique and have 1 to maxID bytes; no text
// is empty.
func ReadOperations(raw []byte) ([]Operation, error) {
	if !utf8.Valid(raw) {
		return nil, errors.New("is not UTF-8")
	}
	if err := json.Unmarshal(raw, new(json.RawMessage)); err != nil {
		return nil, fmt.Errorf("is not JSON: %w", err)
	}
	top, err := readObject(raw)
	if err != nil {
		return nil, err
	}
	form := relayOperations
	if bytes.HasPrefix(top.values["operations"], []byte("[")) {
		form = listedOperations
	}
	operations, err := form(top)
	if err != nil {
		return nil, err
	}
	if len(operations) == 0 {
		return nil, errors.New("holds no document")
	}
	return operations, nil
}

// listedOperations reads {"format", "version", "operations": [{"id", "name", "type", "body"}]} of Apollo, or
// {"operations": [{"operationName", "query"}]} of genqlient, and ignores other members. An id may be listed several
// times, for several clients, with the same text.
func listedOperations(top object) ([]Operation, error) {
	read := apolloOperation
	if _, named := top.values["format"]; !named {
		read = genqlientOperation
	} else if string(top.values["format"]) != apolloFormat || string(top.values["version"]) != "1" {
		return nil, fmt.Errorf("has operations, but is not of format %s and version 1", apolloFormat)
	}
	var entries []json.RawMessage
	if err := json.Unmarshal(top.values["operations"], &entries); err != nil {
		return nil, err
	}
	list := make([]Operation, 0, len(entries))
	texts := make(map[string]string, len(entries))
	for i, entry := range entries {
		o, err := read(entry)
		if err != nil {
			return nil, fmt.Errorf("operation %d: %w", i, err)
		}
		text, seen := texts[o.ID]
		switch {
		case seen && text != o.Text:
			return nil, fmt.Errorf("id %q occurs twice, with two texts", o.ID)
		case !seen:
			texts[o.ID] = o.Text
			list = append(list, o)
		}
	}
	return list, nil
}

func apolloOperation(entry json.RawMessage) (o Operation, err error) {
	err = readTexts(entry, []textMember{{"id", true, &o.ID}, {"body", true, &o.Text}, {"name", false, &o.Name}, {"type", false, &o.Kind}})
	if err != nil {
		return o, err
	}
	return o, checkID(o.ID)
}

// genqlientOperation returns an operation by the hash of its text, as it has no id.
func genqlientOperation(entry json.RawMessage) (o Operation, err error) {
	err = readTexts(entry, []textMember{{"query", true, &o.Text}, {"operationName", false, &o.Name}})
	o.ID = fmt.Sprintf("%x", sha256.Sum256([]byte(o.Text)))
	return o, err
}

// textMember is a member of an entry, and where its text goes.
type textMember struct {
	name     string
	required bool
	to       *string
}

func readTexts(entry json.RawMessage, wanted []textMember) error {
	fields, err := readObject(entry)
	if err != nil {
		return err
	}
	for _, member := range wanted {
		value, there := fields.values[member.name]
		if !there && !member.required {
			continue
		}
		if *member.to, err = readText(value); err != nil {
			return fmt.Errorf("%s %w", member.name, err)
		}
	}
	return nil
}

// relayOperations reads {id: text, …}.
func relayOperations(top object) ([]Operation, error) {
	list := make([]Operation, len(top.names))
	for i, id := range top.names {
		if err := checkID(id); err != nil {
			return nil, fmt.Errorf("member %d: %w", i, err)
		}
		text, err := readText(top.values[id])
		if err != nil {
			return nil, fmt.Errorf("document %q %w", id, err)
		}
		list[i] = Operation{ID: id, Text: text}
	}
	return list, nil
}

func checkID(id string) error {
	if !isID(id) {
		return fmt.Errorf("an id must have 1 to %d bytes", maxID)
	}
	return nil
}

func readText(value json.RawMessage) (string, error) {
	var text *string // a pointer, because null is not a string
	if err := json.Unmarshal(value, &text); err != nil || text == nil || *text == "" {
		return "", errors.New("must be a text that is not empty")
	}
	return *text, nil
}

// object is a JSON object with its names as written and in order. It is not decoded into a struct, because
// encoding/json accepts "ID" for "id", and of two members with one name it keeps the last.
type object struct {
	names  []string
	values map[string]json.RawMessage
}

// readObject reads an object from valid JSON.
func readObject(raw json.RawMessage) (object, error) {
	o := object{values: map[string]json.RawMessage{}}
	d := jx.DecodeBytes(raw)
	if d.Next() != jx.Object {
		return o, errors.New("must be an object")
	}
	members, err := d.ObjIter()
	for err == nil && members.Next() {
		name := string(members.Key())
		if _, twice := o.values[name]; twice {
			return o, fmt.Errorf("%q occurs twice", name)
		}
		var value jx.Raw
		value, err = d.Raw()
		o.names, o.values[name] = append(o.names, name), json.RawMessage(value)
	}
	return o, err
}
