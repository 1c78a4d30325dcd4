package contract_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"pixgraph/internal/memnet"
	"pixgraph/sandbox"
	"pixgraph/sandbox/issuer"
	"pixgraph/sandbox/ledger"
)

// The servers of the document. The sandbox has an address for each.
const (
	coreServer       = "https://core.example.com"
	dispatcherServer = "https://dispatcher.example.com"
)

// api is an implementation of the two APIs and the document. Every response is validated against the document.
type api struct {
	*document
	*sandbox.Sandbox                   // nil: another implementation
	core, dispatcher string            // base URLs
	token, narrow    string            // may read everything; lacks the scope of notifications
	ids              map[string]string // of one record, by the path of its endpoint
	client           *http.Client
}

// target returns a sandbox, or another implementation if the environment has its URLs, two tokens and the ids of two
// records in CONFORMANCE_CORE_URL, …_DISPATCHER_URL, …_TOKEN, …_TOKEN_WITHOUT_SCOPE, …_TRANSACTION_ID and
// …_NOTIFICATION_ID. Tests that use it check of another implementation what the contract shows.
func target(t *testing.T, config sandbox.Config) *api {
	t.Helper()
	variable := func(name string) string { return os.Getenv("CONFORMANCE_" + name) }
	if variable("CORE_URL") == "" {
		return start(t, config)
	}
	external := &http.Client{Transport: new(http.Transport)}
	t.Cleanup(external.CloseIdleConnections)
	return &api{
		document: open(t), core: variable("CORE_URL"), dispatcher: variable("DISPATCHER_URL"),
		token: variable("TOKEN"), narrow: variable("TOKEN_WITHOUT_SCOPE"), client: external,
		ids: map[string]string{"/transaction/{id}": variable("TRANSACTION_ID"), "/request/{id}": variable("NOTIFICATION_ID")},
	}
}

// network connects clients to sandboxes.
var network memnet.Network

// start starts a sandbox whose records do not change.
func start(t *testing.T, config sandbox.Config) *api {
	t.Helper()
	config.MoveEvery, config.Listen = -1, network.Listen
	box, err := sandbox.Start(config)
	must(t, err)
	t.Cleanup(func() {
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	})
	a := &api{
		document: open(t), Sandbox: box, core: box.CoreURL(), dispatcher: box.DispatcherURL(),
		token: box.Token(config.CoreScope, issuer.ScopeDispatcher), narrow: box.Token(""), client: network.Client(t), ids: map[string]string{},
	}
	for _, e := range a.endpoints(t) {
		if e.lookup() {
			a.ids[e.path] = a.entries(t, e)[0].ID
		}
	}
	return a
}

// entries returns the records of an endpoint in the ledger of the sandbox.
func (a *api) entries(t *testing.T, e endpoint) []*ledger.Entry {
	t.Helper()
	for _, kind := range ledger.Kinds() {
		if strings.EqualFold(kind.String(), e.record()) {
			return a.Ledger().List(kind)
		}
	}
	t.Fatalf("the sandbox has no %s", e.record())
	return nil
}

// base returns the address in the sandbox of a server of the document.
func (a *api) base(t *testing.T, server string) string {
	t.Helper()
	switch server {
	case coreServer:
		return a.core
	case dispatcherServer:
		return a.dispatcher
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
	header http.Header // instead of the one that has the bearer
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
	must(t, err)
	if c.bearer != "" {
		r.Header.Set("Authorization", "Bearer "+c.bearer)
	}
	if c.header != nil {
		r.Header = c.header
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

// call makes a call, and fails if the document does not describe the response. It returns the value of the body, or nil
// if the document does not describe a body.
func (a *api) call(t *testing.T, c call) (status int, value any) {
	t.Helper()
	status, value, _ = a.exchange(t, c)
	return status, value
}

// exchange is call, and returns the header of the response too.
func (a *api) exchange(t *testing.T, c call) (status int, value any, header http.Header) {
	t.Helper()
	resp, err := a.client.Do(c.request(t, a.base(t, c.server)))
	must(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	must(t, err)
	input, err := a.input(c.request(t, c.server), openapi3filter.NoopAuthenticationFunc)
	if err != nil {
		t.Fatalf("%s: %v", c.target(), err)
	}
	response := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: resp.StatusCode, Header: resp.Header, Options: input.Options,
	}
	if err := openapi3filter.ValidateResponse(t.Context(), response); err != nil {
		t.Errorf("%s: status %d: %v", c.target(), resp.StatusCode, err)
		return resp.StatusCode, nil, resp.Header
	}
	if len(c.Responses.Status(resp.StatusCode).Value.Content) > 0 { // otherwise the document does not describe the body
		if value, err = a.body(t, c.endpoint, resp, body); err != nil {
			t.Errorf("%s: status %d: %v", c.target(), resp.StatusCode, err)
		}
	}
	return resp.StatusCode, value, resp.Header
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

// page is a response of a list.
type page struct {
	total, totalPages, currentPage, perPage int
	records                                 []any
	value                                   any // all of it
}

// list lists records. It fails if the numbers of the page are not those of its records.
func (a *api) list(t *testing.T, e endpoint, query url.Values) page {
	t.Helper()
	status, value := a.call(t, call{endpoint: e, query: query, bearer: a.token})
	envelope, _ := value.(map[string]any)
	records, ok := envelope["data"].([]any)
	if status != http.StatusOK || !ok {
		t.Fatalf("%s: status %d, or no page", query.Encode(), status)
	}
	p := page{records: records, value: value}
	for name, into := range map[string]*int{
		"total": &p.total, "totalPages": &p.totalPages, "currentPage": &p.currentPage, "perPage": &p.perPage,
	} {
		*into, _ = strconv.Atoi(fmt.Sprint(envelope[name]))
	}
	if len(records) > p.perPage || len(records) > p.total || p.totalPages != (p.total+p.perPage-1)/p.perPage ||
		p.currentPage != 1 && !query.Has("page") {
		t.Errorf("%s: %d records, total %d, page %d of %d, perPage %d", query.Encode(), len(records), p.total, p.currentPage, p.totalPages, p.perPage)
	}
	return p
}
