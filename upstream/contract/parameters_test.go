package contract_test

import (
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
	"pixgraph/upstream/sandbox"
)

// callWith returns a call with values of a parameter. It returns false for an empty id, whose path belongs to no operation.
func callWith(e endpoint, p *openapi3.Parameter, values []string) (call, bool) {
	if p.In == openapi3.ParameterInPath {
		return call{endpoint: e, id: values[0]}, values[0] != ""
	}
	return call{endpoint: e, query: url.Values{p.Name: values, "perPage": {"1"}}}, true
}

// accepts reports whether the document accepts the values of a parameter. A text needs no decoding, so it is validated against
// its schema, which is compiled once. Lists and numbers are decoded first.
func (a *api) accepts(t *testing.T, c call, ref *openapi3.ParameterRef, values []string) bool {
	t.Helper()
	if !ref.Value.Schema.Value.Type.Is(openapi3.TypeString) {
		return a.validate(t, c) == nil
	}
	pointer := strings.TrimPrefix(ref.Ref, "#") + "/schema"
	if ref.Ref == "" {
		pointer = c.pointer() + "/parameters/" + strconv.Itoa(slices.Index(c.Parameters, ref)) + "/schema"
	}
	return a.schema(t, pointer).Validate(values[0]) == nil
}

// TestParameters: for each parameter of the document, the sandbox and the client accept and reject the same values as the
// document.
func TestParameters(t *testing.T) {
	t.Parallel() // one of three tests that take seconds
	a := start(t, sandbox.Config{Records: 1})
	session, token := newSession(t, a), a.Token()
	for _, e := range a.endpoints(t) {
		for _, parameter := range e.Parameters {
			p := parameter.Value
			t.Run(e.OperationID+"/"+p.Name, func(t *testing.T) {
				accepted, rejected := 0, 0
				for _, values := range valuesOf(a.document, p.Schema.Value) {
					c, ok := callWith(e, p, values)
					if !ok {
						continue
					}
					c.bearer = token
					want := a.accepts(t, c, parameter, values)
					if want {
						accepted++
					} else {
						rejected++
					}
					status, _ := a.call(t, c)
					if got := status != http.StatusUnprocessableEntity; got != want {
						t.Errorf("%q: the sandbox responds with %d, the document accepts it: %v", values, status, want)
					}
					if got, ok := clientAccepts(t, session, e, p.Name, values); ok && got != want {
						t.Errorf("%q: the client accepts it: %v, the document: %v", values, got, want)
					}
				}
				if anyText := e.path == "/request/{id}"; accepted < 2 || (rejected < 10) != anyText {
					t.Errorf("only %d values are accepted and %d rejected", accepted, rejected)
				}
			})
		}
	}
}

// newSession returns a session for calls to the sandbox, with a token that may read everything.
func newSession(t *testing.T, a *api) *client.Session {
	t.Helper()
	apis, err := client.New(client.Config{
		CoreURL: a.CoreURL(), DispatcherURL: a.DispatcherURL(), PageParam: "page", PerPageParam: "perPage",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(apis.Close)
	return apis.Open(client.Operation{
		Bearer: a.Token(), Header: client.Header{RequestID: "1", TraceParent: "00-1-1-01"},
	})
}

// filter is a filter of a list.
type filter interface {
	Violations() []upstream.Violation
	Query() url.Values
}

// newFilter returns an empty filter of a list.
func newFilter(t *testing.T, path string) filter {
	t.Helper()
	switch path {
	case "/deposit":
		return new(upstream.DepositFilter)
	case "/withdrawal":
		return new(upstream.WithdrawalFilter)
	}
	t.Fatalf("%s has no filter", path)
	return nil
}

// set sets the field of a parameter to values, and reports whether the field can hold them.
func set(t *testing.T, f filter, name string, values []string) bool {
	t.Helper()
	field := reflect.ValueOf(f).Elem().FieldByNameFunc(func(field string) bool { return strings.EqualFold(field, name) })
	switch {
	case !field.IsValid():
		t.Fatalf("%T has no field for the parameter %s", f, name)
	case field.Type() == reflect.TypeFor[*string]():
		field.Set(reflect.ValueOf(&values[0]))
	case field.Type() == reflect.TypeFor[*upstream.Cents]():
		n, err := strconv.ParseInt(values[0], 10, 64)
		if err != nil {
			return false
		}
		cents := upstream.Cents(n)
		field.Set(reflect.ValueOf(&cents))
	case field.Kind() == reflect.Slice && field.Type().Elem().Kind() == reflect.String:
		for _, value := range values {
			field.Set(reflect.Append(field, reflect.ValueOf(value).Convert(field.Type().Elem())))
		}
	default:
		t.Fatalf("the field for %s is a %s", name, field.Type())
	}
	return true
}

// clientAccepts reports whether the client sends the values. ok is false if its types cannot represent them.
func clientAccepts(t *testing.T, session *client.Session, e endpoint, name string, values []string) (accepted, ok bool) {
	t.Helper()
	var invalid *upstream.InvalidInputError
	switch e.path {
	case "/transaction/{id}":
		_, err := session.Transaction(t.Context(), values[0])
		return !errors.As(err, &invalid), true
	case "/request/{id}":
		return false, false // the spec does not show the form of the id (spec 4.4); the client has its own limits
	}
	f := newFilter(t, e.path)
	if !set(t, f, name, values) {
		return false, false
	}
	if sent := f.Query()[name]; !slices.Equal(sent, values) {
		t.Errorf("%q: the client sends %q", values, sent)
	}
	violations := f.Violations()
	if len(violations) > 1 || len(violations) == 1 && violations[0].Field != name {
		t.Errorf("%q: violations of %v", values, violations)
	}
	return len(violations) == 0, true
}
