package contract_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
	"pixgraph/upstream/sandbox"
)

// TestRequests makes each call that the client can make, with each filter alone and with all together. The document must describe
// every request, and every operation and parameter of the document must be used.
func TestRequests(t *testing.T) {
	a := start(t, sandbox.Config{Records: 20})
	session := newSession(t, a)
	used := map[string]bool{} // operations and their parameters
	for name, calls := range clientCalls(a) {
		t.Run(name, func(t *testing.T) {
			for _, invoke := range calls(t) {
				a.ResetCalls()
				if err := invoke(session); err != nil {
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

// clientCalls returns the calls of each method of a session.
func clientCalls(a *api) map[string]func(*testing.T) []func(*client.Session) error {
	lookup := func(id string, get func(context.Context, *client.Session, string) error) func(*testing.T) []func(*client.Session) error {
		return func(t *testing.T) []func(*client.Session) error {
			return []func(*client.Session) error{func(s *client.Session) error { return get(t.Context(), s, id) }}
		}
	}
	return map[string]func(*testing.T) []func(*client.Session) error{
		"Deposits": func(t *testing.T) []func(*client.Session) error {
			return listCalls(t, a, "/deposit", func(s *client.Session, f filter, page client.PageRequest) error {
				_, err := s.Deposits(t.Context(), f.(*upstream.DepositFilter), page)
				return err
			})
		},
		"Withdrawals": func(t *testing.T) []func(*client.Session) error {
			return listCalls(t, a, "/withdrawal", func(s *client.Session, f filter, page client.PageRequest) error {
				_, err := s.Withdrawals(t.Context(), f.(*upstream.WithdrawalFilter), page)
				return err
			})
		},
		"Withdrawal": lookup(a.Ledger().Withdrawals()[0].ID, func(ctx context.Context, s *client.Session, id string) error {
			_, err := s.Withdrawal(ctx, id)
			return err
		}),
		"Transaction": lookup(a.Ledger().Transactions()[0].ID, func(ctx context.Context, s *client.Session, id string) error {
			_, err := s.Transaction(ctx, id)
			return err
		}),
		"Notification": lookup(a.Ledger().Notifications()[0].ID, func(ctx context.Context, s *client.Session, id string) error {
			_, err := s.Notification(ctx, id)
			return err
		}),
	}
}

// localMethods are the methods of a session that make no request.
var localMethods = []string{"Abandon", "End", "Part", "Replay", "With"}

// TestMethodsAreComplete: each method of a session is in clientCalls or in localMethods.
func TestMethodsAreComplete(t *testing.T) {
	var methods []string
	for method := range reflect.TypeFor[*client.Session]().Methods() {
		methods = append(methods, method.Name)
	}
	known := slices.AppendSeq(slices.Clone(localMethods), maps.Keys(clientCalls(start(t, sandbox.Config{Records: 1}))))
	slices.Sort(known)
	if slices.Sort(methods); !slices.Equal(methods, known) {
		t.Errorf("a session has the methods %v, known are %v", methods, known)
	}
}

// listCalls returns the calls of a list: without a filter, with each field of the filter alone, and with all fields and a page.
func listCalls(
	t *testing.T, a *api, path string, list func(*client.Session, filter, client.PageRequest) error,
) []func(*client.Session) error {
	t.Helper()
	var calls []func(*client.Session) error
	add := func(f filter, page client.PageRequest) {
		calls = append(calls, func(s *client.Session) error { return list(s, f, page) })
	}
	add(newFilter(t, path), client.PageRequest{})
	parameters := a.Paths.Value(path).Get.Parameters
	all := newFilter(t, path)
	for _, parameter := range parameters {
		p, f := parameter.Value, newFilter(t, path)
		values := examplesOf(p.Schema.Value)
		if p.Schema.Value.Type.Is(openapi3.TypeArray) {
			values = listsOf(a.document, p.Schema.Value)[0]
		}
		if !set(t, f, p.Name, values) || !set(t, all, p.Name, values) {
			t.Errorf("no field accepts %q for %s", values, p.Name)
		}
		add(f, client.PageRequest{})
	}
	add(all, client.PageRequest{Number: 1, Size: 10})
	if got := reflect.TypeOf(all).Elem().NumField(); got != len(parameters) {
		t.Errorf("the filter has %d fields, the document %d parameters", got, len(parameters))
	}
	return calls
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
	if err != nil {
		t.Fatal(err)
	}
	path, ok := strings.CutPrefix(sent.Path, root.EscapedPath())
	if !ok {
		t.Fatalf("%s is not below the base URL", sent.Path)
	}
	r, err := http.NewRequestWithContext(t.Context(), sent.Method, server+path+"?"+sent.RawQuery, nil)
	if err != nil {
		t.Fatal(err)
	}
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
