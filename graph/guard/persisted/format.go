package persisted

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
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

// ReadOperations parses a manifest file, in Apollo's form, with an array of operations, or in Relay's, an object of
// texts by id. It returns at least one operation. Ids are unique and have 1 to maxID bytes; no text is empty.
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
		form = apolloOperations
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

// apolloOperations reads {"format", "version", "operations": [{"id", "name", "type", "body"}]} and ignores other
// members. An id may be listed several times, for several clients, with the same text.
func apolloOperations(top object) ([]Operation, error) {
	if string(top.values["format"]) != apolloFormat || string(top.values["version"]) != "1" {
		return nil, fmt.Errorf("has operations, but is not of format %s and version 1", apolloFormat)
	}
	var entries []json.RawMessage
	if err := json.Unmarshal(top.values["operations"], &entries); err != nil {
		return nil, err
	}
	list := make([]Operation, 0, len(entries))
	texts := make(map[string]string, len(entries))
	for i, entry := range entries {
		o, err := apolloOperation(entry)
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

func apolloOperation(entry json.RawMessage) (Operation, error) {
	var o Operation
	fields, err := readObject(entry)
	if err != nil {
		return o, err
	}
	for _, field := range []struct {
		name     string
		required bool
		to       *string
	}{
		{"id", true, &o.ID}, {"body", true, &o.Text}, {"name", false, &o.Name}, {"type", false, &o.Kind},
	} {
		value, there := fields.values[field.name]
		if !there && !field.required {
			continue
		}
		if *field.to, err = readText(value); err != nil {
			return o, fmt.Errorf("%s %w", field.name, err)
		}
	}
	return o, checkID(o.ID)
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
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if begin, err := decoder.Token(); err != nil || begin != json.Delim('{') {
		return object{}, errors.New("must be an object")
	}
	o := object{values: map[string]json.RawMessage{}}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return o, err
		}
		name, _ := token.(string) // a JSON object has nothing else here
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return o, err
		}
		if _, twice := o.values[name]; twice {
			return o, fmt.Errorf("%q occurs twice", name)
		}
		o.names = append(o.names, name)
		o.values[name] = value
	}
	return o, nil
}
