package serve_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The media types of responses in parts.
const (
	acceptV02 = `multipart/mixed;incrementalSpec=v0.2, application/json`
	acceptV01 = `multipart/mixed;deferSpec=20220824, application/json`
)

// part is one part of a response, of both formats.
type part struct {
	Data        map[string]any
	Errors      []partError
	Pending     []fragment
	Incremental []struct {
		fragment
		SubPath []any
		Data    map[string]any
		Errors  []partError
	}
	Completed []struct {
		ID     string
		Errors []partError
	}
	HasNext    bool
	Extensions map[string]any
}

type fragment struct {
	ID, Label string
	Path      []any
}

type partError struct {
	Message    string
	Path       []any
	Extensions struct{ Code string }
}

// incrementalParts reads a body of parts. It fails the test unless only the last one says that it is.
func incrementalParts(t testing.TB, contentType string, body io.Reader) (parts []part) {
	t.Helper()
	next := readParts(t, contentType, body)
	for {
		p, ok := next()
		if !ok {
			break
		}
		parts = append(parts, p)
	}
	for i, p := range parts {
		if p.HasNext != (i < len(parts)-1) {
			t.Fatalf("part %d of %d has hasNext %t", i, len(parts), p.HasNext)
		}
	}
	return parts
}

// readParts returns a function that reads the next part.
func readParts(t testing.TB, contentType string, body io.Reader) func() (part, bool) {
	t.Helper()
	media, parameters, err := mime.ParseMediaType(contentType)
	if err != nil || media != "multipart/mixed" {
		text, _ := io.ReadAll(body)
		t.Fatalf("%q, %v: %s", contentType, err, text)
	}
	reader := multipart.NewReader(bufio.NewReaderSize(body, 16), parameters["boundary"])
	return func() (p part, ok bool) {
		content, err := reader.NextPart()
		if err == io.EOF {
			return p, false
		}
		must(t, err)
		decoder := json.NewDecoder(content)
		decoder.UseNumber()
		must(t, decoder.Decode(&p))
		return p, true
	}
}

// joined is a response whose parts were joined.
type joined struct {
	data   map[string]any
	errors []partError
	failed [][]any // the paths of fragments without data
}

// join joins the parts of a response as a client does. It fails the test if a part refers to what is not there, or
// sends a value twice by version 0.2.
func join(t testing.TB, parts []part) joined {
	t.Helper()
	all := joined{data: parts[0].Data}
	pending := map[string]fragment{}
	add := func(errs []partError) { all.errors = append(all.errors, errs...) }
	for _, p := range parts {
		add(p.Errors)
		for _, f := range p.Pending {
			if _, taken := pending[f.ID]; taken || f.ID == "" {
				t.Fatalf("id %q is announced again", f.ID)
			}
			pending[f.ID] = f
		}
		for _, i := range p.Incremental {
			path := i.Path
			if i.ID != "" {
				f, ok := pending[i.ID]
				if !ok {
					t.Fatalf("data for %q, which is not pending", i.ID)
				}
				path = slices.Concat(f.Path, i.SubPath)
			}
			add(i.Errors)
			if i.Data == nil {
				all.failed = append(all.failed, path)
				continue
			}
			if into := at(all.data, path); into != nil {
				merge(t, into, i.Data, i.ID != "")
			} else if i.ID != "" {
				t.Fatalf("no object at %v", path) // without ids, a null stays one, as in merge
			}
		}
		for _, f := range p.Pending { // of which the data may be in the same part
			if at(all.data, f.Path) == nil {
				t.Fatalf("no object at %v", f.Path)
			}
		}
		for _, c := range p.Completed {
			f, ok := pending[c.ID]
			if !ok {
				t.Fatalf("%q is complete and was not pending", c.ID)
			}
			if delete(pending, c.ID); len(c.Errors) > 0 {
				all.failed = append(all.failed, f.Path)
			}
			add(c.Errors)
		}
	}
	if len(pending) > 0 {
		t.Fatalf("never complete: %v", pending)
	}
	return all
}

// at returns the object at a path, or nil if the response lacks it.
func at(data map[string]any, path []any) map[string]any {
	object, _ := valueAt(data, path).(map[string]any)
	return object
}

// valueAt returns the value at a path, or nil if the response lacks it.
func valueAt(data map[string]any, path []any) any {
	value := any(data)
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, _ := value.(map[string]any)
			value = object[step]
		case json.Number:
			list, _ := value.([]any)
			i, err := strconv.Atoi(step.String())
			if err != nil || i >= len(list) {
				return nil
			}
			value = list[i]
		}
	}
	return value
}

// merge adds values to an object. If each value is sent once, only objects may be there already. Otherwise a null stays
// one: a part may lack the field that made the object null.
func merge(t testing.TB, into, from map[string]any, once bool) {
	t.Helper()
	for key, value := range from {
		old, ok := into[key]
		if _, isObject := old.(map[string]any); ok && once && !isObject {
			t.Fatalf("%q is sent twice", key)
		}
		if into[key] = value; ok {
			into[key] = merged(t, old, value, once)
		}
	}
}

func merged(t testing.TB, old, value any, once bool) any {
	t.Helper()
	if old == nil {
		return nil
	}
	switch value := value.(type) {
	case map[string]any:
		merge(t, old.(map[string]any), value, once)
		return old
	case []any:
		list := old.([]any)
		for i := range list {
			list[i] = merged(t, list[i], value[i], once)
		}
		return list
	}
	return value
}

// wantParts fails the test unless the response to an operation with an Accept consists of parts that join to its whole
// response with the same calls. It returns the parts.
func (g *gateway) wantParts(accept string, header http.Header, document string, vars variables) []part {
	g.T.Helper()
	g.Box.ResetCalls()
	whole := g.Query(document, vars)
	calls := slices.Sorted(slices.Values(g.Calls()))
	g.Box.ResetCalls()
	with := maps.Clone(header)
	if with == nil {
		with = http.Header{}
	}
	with.Set("Accept", accept)
	resp := g.Open(with, document, vars)
	parts := incrementalParts(g.T, resp.Header.Get("Content-Type"), resp.Body)
	if got := slices.Sorted(slices.Values(g.Calls())); !slices.Equal(got, calls) {
		g.T.Errorf("calls for parts:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(calls, "\n"))
	}
	wantJoined(g.T, join(g.T, parts), whole.Body)
	return parts
}

// wantJoined fails the test unless joined parts equal a whole response. Without a fragment, which failed because of one
// of its fields, they lack its other fields.
func wantJoined(t testing.TB, all joined, whole []byte) {
	t.Helper()
	var want part
	decoder := json.NewDecoder(bytes.NewReader(whole))
	decoder.UseNumber()
	must(t, decoder.Decode(&want))
	if len(all.failed) > 0 {
		if len(want.Errors) == 0 {
			t.Errorf("the fragments at %v failed", all.failed)
		}
		return
	}
	got, _ := json.Marshal(all.data)
	wanted, _ := json.Marshal(want.Data)
	if !bytes.Equal(got, wanted) {
		t.Errorf("joined %s\nwhole  %s", got, wanted)
	}
	if got, wanted := nullsOf(want.Data, all.errors), nullsOf(want.Data, want.Errors); !maps.Equal(got, wanted) {
		t.Errorf("errors %v\nwant   %v", got, wanted)
	}
}

// nullsOf returns the errors of a response by the nulls in its data that they explain. If several fields make an object
// null, the error is that of the first one that was executed.
func nullsOf(data map[string]any, errs []partError) map[string]string {
	nulls := map[string]string{}
	for _, err := range errs {
		length := len(err.Path)
		for length > 0 && (data == nil || valueAt(data, err.Path[:length-1]) == nil) {
			length--
		}
		text := err.Extensions.Code
		if length == len(err.Path) {
			text += " " + err.Message
		}
		nulls[fmt.Sprint(err.Path[:length])] = text
	}
	return nulls
}
