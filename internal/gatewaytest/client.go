package gatewaytest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Client sends requests to a gateway. Its methods fail the test if there is no response.
type Client struct {
	T     testing.TB
	URL   string // without a path
	Token string // with full access
}

// Variables are the variables of an operation.
type Variables = map[string]any

// Query sends an operation with full access.
func (c Client) Query(document string, variables ...Variables) Response {
	c.T.Helper()
	return c.QueryWith(nil, document, variables...)
}

// QueryAs sends an operation with another token.
func (c Client) QueryAs(token, document string, variables ...Variables) Response {
	c.T.Helper()
	c.Token = token
	return c.QueryWith(nil, document, variables...)
}

// QueryWith sends an operation with additional headers.
func (c Client) QueryWith(header http.Header, document string, variables ...Variables) Response {
	c.T.Helper()
	request := map[string]any{"query": document}
	if len(variables) > 0 {
		request["variables"] = variables[0]
	}
	body, err := json.Marshal(request)
	must(c.T, err)
	return c.Post(header, body)
}

// Post sends a body to /graphql. Unless the header has an Authorization, it is the client's token.
func (c Client) Post(header http.Header, body []byte) Response {
	c.T.Helper()
	req, err := http.NewRequestWithContext(c.T.Context(), http.MethodPost, c.URL+"/graphql", bytes.NewReader(body))
	must(c.T, err)
	req.Header.Set("Content-Type", "application/json")
	return c.Send(req, header)
}

// Get returns a page.
func (c Client) Get(path string) Response {
	c.T.Helper()
	req, err := http.NewRequestWithContext(c.T.Context(), http.MethodGet, c.URL+path, nil)
	must(c.T, err)
	return c.Send(req, nil)
}

// Send sends a request with the client's token and additional headers, which may replace the token.
func (c Client) Send(req *http.Request, header http.Header) Response {
	c.T.Helper()
	req.Header.Set("Authorization", "Bearer "+c.Token)
	for name, values := range header {
		req.Header[name] = values
	}
	resp, err := http.DefaultClient.Do(req)
	must(c.T, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	must(c.T, err)
	r := Response{T: c.T, Status: resp.StatusCode, Header: resp.Header, Body: body}
	if strings.Contains(resp.Header.Get("Content-Type"), "json") {
		r.decode()
	}
	return r
}

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
		if fmt.Sprint(err.Path) == fmt.Sprint(path) { // an index is a number of another type
			at = append(at, err)
		}
	}
	if len(at) != 1 || at[0].Extensions["code"] != code {
		r.T.Fatalf("want one error %s at %v, got %v in %v", code, path, at, r.Errors)
	}
	return at[0]
}

// WantNoData fails the test if the response has data.
func (r Response) WantNoData() {
	r.T.Helper()
	if r.Data != nil {
		r.T.Errorf("unexpected data: %.500s", r.Body)
	}
}

// At is the value at a path of the data, whose steps are names of members and indexes of lists.
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

// Text is the string at a path.
func (r Response) Text(path ...any) string {
	r.T.Helper()
	text, ok := r.At(path...).(string)
	if !ok {
		r.T.Fatalf("no string at %v: %.500s", path, r.Body)
	}
	return text
}

// List is the list at a path.
func (r Response) List(path ...any) []any {
	r.T.Helper()
	list, ok := r.At(path...).([]any)
	if !ok {
		r.T.Fatalf("no list at %v: %.500s", path, r.Body)
	}
	return list
}

// IDs are the ids of the nodes of a connection.
func (r Response) IDs(field string) []string {
	r.T.Helper()
	var ids []string
	for i := range r.List(field, "nodes") {
		ids = append(ids, r.Text(field, "nodes", i, "id"))
	}
	return ids
}
