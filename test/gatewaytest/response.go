package gatewaytest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
)

// Response is the response to a request. If it is JSON, it has the data and the errors.
type Response struct {
	T      testing.TB
	Status int
	Header http.Header
	Body   []byte
	Data   any // with numbers as json.Number
	Errors []Error
}

// Error is an error of a response.
type Error struct {
	Message    string
	Path       []any
	Locations  []struct{ Line, Column int }
	Extensions map[string]any
}

func (r *Response) decode() {
	r.T.Helper()
	var envelope struct {
		Data   any
		Errors []Error
	}
	decoder := json.NewDecoder(bytes.NewReader(r.Body))
	decoder.UseNumber()
	if err := decoder.Decode(&envelope); err != nil {
		r.T.Fatalf("the response is not JSON: %v: %s", err, r.Body)
	}
	r.Data, r.Errors = envelope.Data, envelope.Errors
}

// WantOK fails the test unless the status is 200 and there are no errors.
func (r Response) WantOK() Response {
	r.T.Helper()
	if r.Status != http.StatusOK || len(r.Errors) > 0 {
		r.T.Fatalf("status %d, errors %v", r.Status, r.Errors)
	}
	return r
}

// WantError fails the test unless there is exactly one error at the path, and it has the code. It returns the error.
func (r Response) WantError(code string, path ...any) Error {
	r.T.Helper()
	var at []Error
	for _, err := range r.Errors {
		if samePath(err.Path, path) {
			at = append(at, err)
		}
	}
	if len(at) != 1 || at[0].Extensions["code"] != code {
		r.T.Fatalf("want one error %s at %v, got %v in %v", code, path, at, r.Errors)
	}
	return at[0]
}

// samePath compares a path of a response, whose indexes are of another type, with one that a test wants.
func samePath(got, want []any) bool { return fmt.Sprint(got) == fmt.Sprint(want) }

// At returns the value at a path of the data, whose steps are names of members and indexes of lists.
func (r Response) At(path ...any) any {
	r.T.Helper()
	value := r.Data
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, ok := value.(map[string]any)
			if !ok {
				r.T.Fatalf("no object before %v in %v: %.500s", step, path, r.Body)
			}
			value = object[step]
		case int:
			list, ok := value.([]any)
			if !ok || step >= len(list) {
				r.T.Fatalf("no element %d in %v: %.500s", step, path, r.Body)
			}
			value = list[step]
		}
	}
	return value
}

// Text returns the string at a path.
func (r Response) Text(path ...any) string {
	r.T.Helper()
	text, ok := r.At(path...).(string)
	if !ok {
		r.T.Fatalf("no string at %v: %.500s", path, r.Body)
	}
	return text
}

// List returns the list at a path.
func (r Response) List(path ...any) []any {
	r.T.Helper()
	list, ok := r.At(path...).([]any)
	if !ok {
		r.T.Fatalf("no list at %v: %.500s", path, r.Body)
	}
	return list
}

// IDs returns the ids of the nodes of a connection.
func (r Response) IDs(field string) []string {
	r.T.Helper()
	var ids []string
	for i := range r.List(field, "nodes") {
		ids = append(ids, r.Text(field, "nodes", i, "id"))
	}
	return ids
}
