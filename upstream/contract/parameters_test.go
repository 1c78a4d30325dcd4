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

// calling is a call with these values of a parameter. An empty id makes another path, which no operation has.
func calling(e endpoint, p *openapi3.Parameter, values []string) (call, bool) {
	if p.In == openapi3.ParameterInPath {
		return call{endpoint: e, id: values[0]}, values[0] != ""
	}
	return call{endpoint: e, query: url.Values{p.Name: values, "perPage": {"1"}}}, true
}

// takes is the document's verdict on the values of a parameter. A text is its own value, so that its schema, compiled once, is
// all there is to ask; lists and numbers are decoded first.
func (a *api) takes(t *testing.T, c call, ref *openapi3.ParameterRef, values []string) bool {
	t.Helper()
	if !ref.Value.Schema.Value.Type.Is(openapi3.TypeString) {
		return a.refusal(t, c) == nil
	}
	pointer := strings.TrimPrefix(ref.Ref, "#") + "/schema"
	if ref.Ref == "" {
		pointer = c.pointer() + "/parameters/" + strconv.Itoa(slices.Index(c.Parameters, ref)) + "/schema"
	}
	return a.schema(t, pointer).Validate(values[0]) == nil
}

// TestEveryParameter gives each parameter of the document values that the document takes and that it refuses: the sandbox and
// the client take and refuse the same.
func TestEveryParameter(t *testing.T) {
	t.Parallel() // one of three that take seconds
	a := start(t, sandbox.Config{Records: 1})
	session, token := newSession(t, a), a.Token()
	for _, e := range a.endpoints(t) {
		for _, parameter := range e.Parameters {
			p := parameter.Value
			t.Run(e.OperationID+"/"+p.Name, func(t *testing.T) {
				verdicts := map[bool]int{}
				for _, values := range valuesOf(a.document, p.Schema.Value) {
					c, ok := calling(e, p, values)
					if !ok {
						continue
					}
					c.bearer = token
					taken := a.takes(t, c, parameter, values)
					verdicts[taken]++
					status, _ := a.answer(t, c)
					if got := status != http.StatusUnprocessableEntity; got != taken {
						t.Errorf("%q: the sandbox answers %d, the document takes it: %v", values, status, taken)
					}
					if got, ok := clientTakes(t, session, e, p.Name, values); ok && got != taken {
						t.Errorf("%q: the client takes it: %v, the document: %v", values, got, taken)
					}
				}
				if anything := e.path == "/request/{id}"; verdicts[true] < 2 || (verdicts[false] < 10) != anything {
					t.Errorf("%d values are taken and %d refused: too few to tell", verdicts[true], verdicts[false])
				}
			})
		}
	}
}

// newSession makes calls to the sandbox, with a token that may read everything.
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

// filter is what the client narrows a list by.
type filter interface {
	Violations() []upstream.Violation
	Query() url.Values
}

// newFilter is an empty filter of a list.
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

// set puts the values of a parameter into the field of that name, and reports whether the field can hold them.
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

// clientTakes tells whether the client sends the values; ok is false where it has no way to be given them.
func clientTakes(t *testing.T, session *client.Session, e endpoint, name string, values []string) (taken, ok bool) {
	t.Helper()
	var refused *upstream.InvalidInputError
	switch e.path {
	case "/transaction/{id}":
		_, err := session.Transaction(t.Context(), values[0])
		return !errors.As(err, &refused), true
	case "/request/{id}":
		return false, false // the client has bounds of its own, since the form of the id is not shown (spec 4.4)
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
