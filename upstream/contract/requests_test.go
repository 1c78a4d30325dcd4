package contract_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"

	"pixgraph/sandbox"
	"pixgraph/upstream/client"
)

// TestRequests makes each call that the client can make, with each filter alone and with all together. The document
// must describe every request, and every operation and parameter of the document must be used.
func TestRequests(t *testing.T) {
	a := start(t, sandbox.Config{Records: 20})
	session := newSession(t, a.core, a.dispatcher, a.token)
	used := map[string]bool{} // operations and their parameters
	for method := range reflect.TypeFor[*client.Session]().Methods() {
		t.Run(method.Name, func(t *testing.T) {
			for _, arguments := range a.argumentsOf(t, method) {
				a.ResetCalls()
				if _, err := invoke(t, session, method.Name, arguments...); err != nil {
					t.Error(err)
				}
				sent := a.Calls()
				if len(sent) != 1 {
					t.Errorf("%d calls, want 1", len(sent))
				}
				for _, call := range sent {
					a.checkRequest(t, call, used)
				}
			}
		})
	}
	for _, e := range a.endpoints(t) {
		if !used[e.OperationID] {
			t.Errorf("the client never calls %s", e.OperationID)
		}
		for _, parameter := range e.Parameters {
			if !used[e.OperationID+" "+parameter.Value.Name] {
				t.Errorf("the client never sends %s of %s", parameter.Value.Name, e.OperationID)
			}
		}
	}
}

// argumentsOf returns the arguments of each call of a method: an id, or a filter and a page. A method that makes no
// calls has none.
func (a *api) argumentsOf(t *testing.T, method reflect.Method) [][]any {
	t.Helper()
	for _, e := range a.endpoints(t) {
		switch _, lists := filterOf(method); {
		case getter(method) && method.Name == e.record():
			return [][]any{{a.entries(t, e)[0].ID}}
		case lists && !e.lookup() && method.Name == lister(t, e.record()).Name:
			return a.listArguments(t, e)
		}
	}
	return nil
}

// listArguments returns the arguments of a list: without a filter, with each field of the filter alone, and with all
// fields and a page.
func (a *api) listArguments(t *testing.T, e endpoint) [][]any {
	t.Helper()
	list, all := [][]any{{newFilter(t, e.record()), client.PageRequest{}}}, newFilter(t, e.record())
	for _, parameter := range e.Parameters {
		p, f := parameter.Value, newFilter(t, e.record())
		values := examplesOf(p.Schema.Value)
		if p.Schema.Value.Type.Is(openapi3.TypeArray) {
			values = listsOf(a.document, p.Schema.Value)[0]
		}
		if len(values) == 0 {
			t.Errorf("the parameter %s of %s has no `examples` in docs/upstream-api.yaml", p.Name, e.OperationID)
			continue
		}
		if !set(t, f, p.Name, values) || !set(t, all, p.Name, values) {
			t.Errorf("no field accepts %q for %s", values, p.Name)
		}
		list = append(list, []any{f, client.PageRequest{}})
	}
	if got := reflect.TypeOf(all).Elem().NumField(); got != len(e.Parameters) {
		t.Errorf("the filter has %d fields, the document %d parameters", got, len(e.Parameters))
	}
	return append(list, []any{all, client.PageRequest{Number: 1, Size: 10}})
}

// paging are the parameters that the contract does not name (spec 4.5), as newSession configures them.
var paging = []string{"page", "perPage"}

// checkRequest validates a request that the sandbox received against the document.
func (a *api) checkRequest(t *testing.T, sent sandbox.Call, used map[string]bool) {
	t.Helper()
	server, base := coreServer, a.CoreURL()
	if sent.Service == sandbox.Dispatcher {
		server, base = dispatcherServer, a.DispatcherURL()
	}
	root, err := url.Parse(base)
	must(t, err)
	path, ok := strings.CutPrefix(sent.Path, root.EscapedPath())
	if !ok {
		t.Fatalf("%s is not below the base URL", sent.Path)
	}
	r, err := http.NewRequestWithContext(t.Context(), sent.Method, server+path+"?"+sent.RawQuery, nil)
	must(t, err)
	r.Header = sent.Header
	input, err := a.input(r, bearer)
	if err != nil {
		t.Errorf("%s %s: %v", sent.Method, sent.Path, err)
		return
	}
	if err := openapi3filter.ValidateRequest(t.Context(), input); err != nil {
		t.Errorf("%s: %v", sent.Path, err)
	}
	operation := input.Route.Operation
	used[operation.OperationID] = true
	for name := range sent.Query {
		if operation.Parameters.GetByInAndName(openapi3.ParameterInQuery, name) == nil && !slices.Contains(paging, name) {
			t.Errorf("%s gets %s, which the document does not have", operation.OperationID, name)
		}
		used[operation.OperationID+" "+name] = true
	}
	for name := range input.PathParams {
		used[operation.OperationID+" "+name] = true
	}
	for _, name := range []string{"Content-Type", "Content-Length", "Transfer-Encoding", "Cookie"} {
		if _, ok := sent.Header[name]; ok {
			t.Errorf("%s gets a %s", operation.OperationID, name)
		}
	}
	if accept := sent.Header.Get("Accept"); accept != "application/json" {
		t.Errorf("%s gets Accept: %s", operation.OperationID, accept)
	}
}

var errBearer = errors.New("does not have exactly one JWT in the form of the scheme")

// bearer validates a request against the document's security scheme.
func bearer(_ context.Context, input *openapi3filter.AuthenticationInput) error {
	scheme := input.SecurityScheme
	if scheme.Type != "http" || scheme.Scheme != "bearer" || scheme.BearerFormat != "JWT" {
		return fmt.Errorf("unknown scheme: %s %s %s", scheme.Type, scheme.Scheme, scheme.BearerFormat)
	}
	lines := input.RequestValidationInput.Request.Header["Authorization"]
	if len(lines) != 1 {
		return errBearer
	}
	token, ok := strings.CutPrefix(lines[0], "Bearer ")
	if !ok || strings.Count(token, ".") != 2 || strings.Contains(token, " ") {
		return errBearer
	}
	return nil
}
