package contract_test

import (
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"pixgraph/internal/egress"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// newSession returns a session for calls to two base URLs. No call is too late.
func newSession(t *testing.T, core, dispatcher, token string) *client.Session {
	t.Helper()
	access, err := egress.Open(egress.Config{Dialer: &network})
	must(t, err)
	t.Cleanup(access.Close)
	apis, err := client.New(client.Config{
		CoreURL: core, DispatcherURL: dispatcher, Core: access, Dispatcher: access, PageParam: "page", PerPageParam: "perPage",
		Timeout: 24 * time.Hour, ConnectTimeout: 24 * time.Hour,
	})
	must(t, err)
	t.Cleanup(apis.Close)
	return apis.Open(client.Operation{Bearer: token, Header: client.Header{RequestID: "1", TraceParent: "00-1-1-01"}})
}

// filter is a filter of a list.
type filter interface {
	Violations() []upstream.Violation
	Query() url.Values
}

// filterOf returns an empty filter if a method of a session lists records: func(context.Context, filter,
// client.PageRequest).
func filterOf(method reflect.Method) (filter, bool) {
	if method.Type.NumIn() != 4 || method.Type.In(2).Kind() != reflect.Pointer {
		return nil, false
	}
	f, ok := reflect.New(method.Type.In(2).Elem()).Interface().(filter)
	return f, ok
}

// lister returns the method of a session that lists records. Its filter is named after them.
func lister(t *testing.T, record string) reflect.Method {
	t.Helper()
	for method := range reflect.TypeFor[*client.Session]().Methods() {
		if f, ok := filterOf(method); ok && reflect.TypeOf(f).Elem().Name() == record+"Filter" {
			return method
		}
	}
	t.Fatalf("the client lists no %s", record)
	return reflect.Method{}
}

// newFilter returns an empty filter of a list.
func newFilter(t *testing.T, record string) filter {
	t.Helper()
	f, _ := filterOf(lister(t, record))
	return f
}

// getter reports whether a method of a session reads a record by its id: func(context.Context, string).
func getter(method reflect.Method) bool {
	return method.Type.NumIn() == 3 && method.Type.In(2) == reflect.TypeFor[string]() && method.Type.NumOut() == 2
}

// invoke calls a method of a session.
func invoke(t *testing.T, session *client.Session, name string, arguments ...any) (result any, err error) {
	t.Helper()
	values := []reflect.Value{reflect.ValueOf(t.Context())}
	for _, argument := range arguments {
		values = append(values, reflect.ValueOf(argument))
	}
	results := reflect.ValueOf(session).MethodByName(name).Call(values)
	err, _ = results[1].Interface().(error)
	return results[0].Interface(), err
}

// set sets the field of a parameter to values, and reports whether the field can hold them.
func set(t *testing.T, f filter, name string, values []string) bool {
	t.Helper()
	field := fieldOf(t, f, name)
	switch {
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

// fieldOf returns the field of a parameter.
func fieldOf(t *testing.T, f filter, name string) reflect.Value {
	t.Helper()
	field := reflect.ValueOf(f).Elem().FieldByNameFunc(func(field string) bool { return strings.EqualFold(field, name) })
	if !field.IsValid() {
		t.Fatalf("%T has no field for the parameter %s", f, name)
	}
	return field
}
