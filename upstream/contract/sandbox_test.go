package contract_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"pixgraph/upstream/sandbox"
)

// The servers of the document, each of which the sandbox stands in for.
const (
	coreServer       = "https://core.example.com"
	dispatcherServer = "https://dispatcher.example.com"
)

// api is a sandbox and the document: every answer of the one is validated against the other.
type api struct {
	*document
	*sandbox.Sandbox
	client *http.Client
}

// start runs a sandbox whose records stand still.
func start(t *testing.T, config sandbox.Config) *api {
	t.Helper()
	config.MoveEvery = -1
	box, err := sandbox.Start(config)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: new(http.Transport)}
	t.Cleanup(func() {
		client.CloseIdleConnections()
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	})
	return &api{open(t), box, client}
}

// base is the address of a server of the document in the sandbox.
func (a *api) base(t *testing.T, server string) string {
	t.Helper()
	switch server {
	case coreServer:
		return a.CoreURL()
	case dispatcherServer:
		return a.DispatcherURL()
	}
	t.Fatalf("the document has the server %s, which the sandbox does not stand in for", server)
	return ""
}

// call is one request of an operation.
type call struct {
	endpoint
	id     string // of the path
	query  url.Values
	bearer string
}

// target is the path and the query of the call.
func (c call) target() string {
	target := strings.Replace(c.path, "{id}", url.PathEscape(c.id), 1)
	if len(c.query) > 0 {
		target += "?" + c.query.Encode()
	}
	return target
}

func (c call) request(t *testing.T, base string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+c.target(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.bearer != "" {
		r.Header.Set("Authorization", "Bearer "+c.bearer)
	}
	return r
}

// refusal is the document's verdict on the parameters of a call: nil where it takes them.
func (a *api) refusal(t *testing.T, c call) error {
	t.Helper()
	input, err := a.input(c.request(t, c.server), openapi3filter.NoopAuthenticationFunc)
	if err != nil {
		t.Fatalf("%s: %v", c.target(), err)
	}
	return openapi3filter.ValidateRequest(t.Context(), input)
}

// answer makes the call, and fails unless the document describes the answer. The value is that of the body, nil where the
// document does not describe one.
func (a *api) answer(t *testing.T, c call) (status int, value any) {
	t.Helper()
	resp, err := a.client.Do(c.request(t, a.base(t, c.server)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	input, err := a.input(c.request(t, c.server), openapi3filter.NoopAuthenticationFunc)
	if err != nil {
		t.Fatalf("%s: %v", c.target(), err)
	}
	described := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: resp.StatusCode, Header: resp.Header, Options: input.Options,
	}
	if err := openapi3filter.ValidateResponse(t.Context(), described); err != nil {
		t.Errorf("%s: status %d: %v", c.target(), resp.StatusCode, err)
		return resp.StatusCode, nil
	}
	if len(c.Responses.Status(resp.StatusCode).Value.Content) > 0 { // else nothing is known of the body
		if value, err = a.body(t, c.endpoint, resp, body); err != nil {
			t.Errorf("%s: status %d: %v", c.target(), resp.StatusCode, err)
		}
	}
	return resp.StatusCode, value
}

var errContentType = errors.New("the document does not describe this Content-Type")

// body decodes the body of an answer and validates it against its schema.
func (a *api) body(t *testing.T, e endpoint, resp *http.Response, body []byte) (any, error) {
	t.Helper()
	content := e.Responses.Status(resp.StatusCode).Value.Content
	const media = "application/json"
	if content.Get(resp.Header.Get("Content-Type")) != content[media] || content[media] == nil {
		return nil, errContentType
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return value, a.schema(t, e.pointer()+"/responses/"+strconv.Itoa(resp.StatusCode)+"/content/application~1json/schema").Validate(value)
}

// list returns the page of a list that was answered.
func list(t *testing.T, value any) (page map[string]any, records []any) {
	t.Helper()
	page, _ = value.(map[string]any)
	records, ok := page["data"].([]any)
	if !ok {
		t.Fatal("the answer is no page")
	}
	return page, records
}
