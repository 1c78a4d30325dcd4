package gatewaytest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Client sends requests to a gateway. Its methods fail the test if there is no response.
type Client struct {
	T     testing.TB
	URL   string // without a path
	Token string // of a caller with full access; empty for none
	HTTP  *http.Client
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
	return c.read(c.Open(header, document, variables...)) //nolint:bodyclose // read closes it
}

// Open sends an operation with additional headers. The body of the response can be read until the end of the test.
func (c Client) Open(header http.Header, document string, variables ...Variables) *http.Response {
	c.T.Helper()
	request := map[string]any{"query": document}
	if len(variables) > 0 {
		request["variables"] = variables[0]
	}
	body, err := json.Marshal(request)
	must(c.T, err)
	resp := c.do(c.post(body), header)
	c.T.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

// OpenAs is Open with another token, and the media types that the client accepts, which also accepts trailers.
func (c Client) OpenAs(token, accept, document string, variables ...Variables) *http.Response {
	c.T.Helper()
	c.Token = token
	return c.Open(http.Header{"Accept": {accept}, "Te": {"trailers"}}, document, variables...)
}

// Post sends a body to /graphql. Unless the header has an Authorization, it is the client's token.
func (c Client) Post(header http.Header, body []byte) Response {
	c.T.Helper()
	return c.Send(c.post(body), header)
}

func (c Client) post(body []byte) *http.Request {
	c.T.Helper()
	req, err := http.NewRequestWithContext(c.T.Context(), http.MethodPost, c.URL+"/graphql", bytes.NewReader(body))
	must(c.T, err)
	req.Header.Set("Content-Type", "application/json")
	return req
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
	return c.read(c.do(req, header)) //nolint:bodyclose // read closes it
}

func (c Client) do(req *http.Request, header http.Header) *http.Response {
	c.T.Helper()
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	resp, err := c.HTTP.Do(req)
	must(c.T, err)
	return resp
}

func (c Client) read(resp *http.Response) Response {
	c.T.Helper()
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	must(c.T, err)
	r := Response{T: c.T, Status: resp.StatusCode, Header: resp.Header, Body: body}
	if strings.Contains(resp.Header.Get("Content-Type"), "json") {
		r.decode()
	}
	return r
}
