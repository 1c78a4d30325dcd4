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

// The servers of the document. The sandbox has an address for each.
const (
	coreServer       = "https://core.example.com"
	dispatcherServer = "https://dispatcher.example.com"
)

// api is a sandbox and the document. Every response of the sandbox is validated against the document.
type api struct {
	*document
	*sandbox.Sandbox
	client *http.Client
}

// start starts a sandbox whose records do not change.
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

// base returns the address in the sandbox of a server of the document.
func (a *api) base(t *testing.T, server string) string {
	t.Helper()
	switch server {
	case coreServer:
		return a.CoreURL()
	case dispatcherServer:
		return a.DispatcherURL()
	}
	t.Fatalf("the document has the server %s, which the sandbox does not have", server)
	return ""
}

// call is one call of an operation.
type call struct {
	endpoint
	id     string // in the path
	query  url.Values
	bearer string
}

// target returns the path and the query of the call.
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

// validate validates the parameters of a call against the document.
func (a *api) validate(t *testing.T, c call) error {
	t.Helper()
	input, err := a.input(c.request(t, c.server), openapi3filter.NoopAuthenticationFunc)
	if err != nil {
		t.Fatalf("%s: %v", c.target(), err)
	}
	return openapi3filter.ValidateRequest(t.Context(), input)
}

// call makes a call, and fails if the document does not describe the response. It returns the value of the body, or nil if the
// document does not describe a body.
func (a *api) call(t *testing.T, c call) (status int, value any) {
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
	response := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: resp.StatusCode, Header: resp.Header, Options: input.Options,
	}
	if err := openapi3filter.ValidateResponse(t.Context(), response); err != nil {
		t.Errorf("%s: status %d: %v", c.target(), resp.StatusCode, err)
		return resp.StatusCode, nil
	}
	if len(c.Responses.Status(resp.StatusCode).Value.Content) > 0 { // otherwise the document does not describe the body
		if value, err = a.body(t, c.endpoint, resp, body); err != nil {
			t.Errorf("%s: status %d: %v", c.target(), resp.StatusCode, err)
		}
	}
	return resp.StatusCode, value
}

var errContentType = errors.New("the document does not describe this Content-Type")

// body decodes the body of a response and validates it against its schema.
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

// list returns the envelope and the records of a page.
func list(t *testing.T, value any) (page map[string]any, records []any) {
	t.Helper()
	page, _ = value.(map[string]any)
	records, ok := page["data"].([]any)
	if !ok {
		t.Fatal("the response is not a page")
	}
	return page, records
}
