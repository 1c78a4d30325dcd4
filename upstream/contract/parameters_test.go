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

	"pixgraph/sandbox"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// callWith returns a call with values of a parameter. It returns false for an empty id, whose path belongs to no
// operation.
func (a *api) callWith(e endpoint, p *openapi3.Parameter, values []string) (call, bool) {
	c := call{endpoint: e, bearer: a.token}
	if p.In == openapi3.ParameterInPath {
		c.id = values[0]
		return c, c.id != ""
	}
	if c.query = (url.Values{p.Name: values}); a.Sandbox != nil {
		c.query.Set("perPage", "1")
	}
	return c, true
}

// accepts reports whether the document accepts the values of a parameter. A text needs no decoding, so it is validated
// against its schema, which is compiled once. Lists and numbers are decoded first.
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

// TestParameters: for each parameter of the document, the sandbox and the client accept and reject the same values as
// the document.
func TestParameters(t *testing.T) {
	t.Parallel() // one of three tests that take seconds
	a := target(t, sandbox.Config{Records: 1})
	session := newSession(t, a.core, a.dispatcher, a.token)
	for _, e := range a.endpoints(t) {
		for _, parameter := range e.Parameters {
			p := parameter.Value
			t.Run(e.OperationID+"/"+p.Name, func(t *testing.T) {
				accepted, rejected := 0, 0
				known := decided[componentOf(p.Schema)]
				for _, values := range append(valuesOf(a.document, p.Schema.Value), single(known.accepted, known.rejected)...) {
					c, ok := a.callWith(e, p, values)
					if !ok {
						continue
					}
					want := a.accepts(t, c, parameter, values)
					if want && slices.Contains(known.rejected, values[0]) || !want && slices.Contains(known.accepted, values[0]) {
						t.Errorf("%q: the document accepts it: %v", values, want)
					}
					if want {
						accepted++
					} else {
						rejected++
					}
					status, _ := a.call(t, c)
					if got := status != http.StatusUnprocessableEntity; got != want {
						t.Errorf("%q: the sandbox responds with %d, the document accepts it: %v", values, status, want)
					}
					if anyText(p) {
						continue // the spec does not show the form of the id (spec 4.4); the client has its own limits
					}
					if got, ok := clientAccepts(t, session, e, p.Name, values); ok && got != want {
						t.Errorf("%q: the client accepts it: %v, the document: %v", values, got, want)
					}
				}
				if least := leastRejected(p); accepted < 2 || rejected < least || least == 0 && rejected > 0 {
					t.Errorf("only %d values are accepted and %d rejected", accepted, rejected)
				}
			})
		}
	}
}

// leastRejected is how many of the values of a parameter the document must reject at least.
func leastRejected(p *openapi3.Parameter) int {
	switch schema := p.Schema.Value; {
	case anyText(p):
		return 0
	case schema.Type.Is(openapi3.TypeString) && schema.Pattern == "" && schema.AnyOf == nil && schema.Enum == nil:
		return 2 // a length rejects only the two texts of listed values that are longer
	}
	return 10
}

// anyText reports whether the document accepts every value of a parameter.
func anyText(p *openapi3.Parameter) bool {
	schema := p.Schema.Value
	return schema.Type.Is(openapi3.TypeString) && schema.Pattern == "" && schema.MaxLength == nil && schema.AnyOf == nil && schema.Enum == nil
}

// clientAccepts reports whether the client sends the values. ok is false if its types cannot represent them.
func clientAccepts(t *testing.T, session *client.Session, e endpoint, name string, values []string) (accepted, ok bool) {
	t.Helper()
	if e.lookup() {
		var invalid *upstream.InvalidInputError
		_, err := invoke(t, session, e.record(), values[0])
		return !errors.As(err, &invalid), true
	}
	f := newFilter(t, e.record())
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

// TestViolations: a filter whose fields all break their rules has a violation for each, in the order of the document,
// which says what the field accepts. A list without values is one of them. No filter breaks no rule.
func TestViolations(t *testing.T) {
	for _, e := range open(t).endpoints(t) {
		if e.lookup() {
			continue
		}
		none := reflect.Zero(reflect.TypeOf(newFilter(t, e.record()))).Interface().(filter)
		if len(none.Violations()) > 0 || len(none.Query()) > 0 {
			t.Errorf("%s: no filter has %v and the query %v", e.OperationID, none.Violations(), none.Query())
		}
		f := newFilter(t, e.record())
		var want, got []string
		for _, parameter := range e.Parameters {
			if anyText(parameter.Value) {
				continue // no value breaks a rule
			}
			want = append(want, parameter.Value.Name)
			if field := fieldOf(t, f, parameter.Value.Name); field.Kind() == reflect.Slice {
				field.Set(reflect.MakeSlice(field.Type(), 0, 0))
			} else {
				field.Set(reflect.New(field.Type().Elem()))
			}
		}
		for _, violation := range f.Violations() {
			if got = append(got, violation.Field); !strings.HasPrefix(violation.Rule, "must ") {
				t.Errorf("%s: rule %q does not say what the field accepts", violation.Field, violation.Rule)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: violations of %v, want %v", e.OperationID, got, want)
		}
	}
}
