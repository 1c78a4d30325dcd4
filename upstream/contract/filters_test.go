package contract_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"pixgraph/sandbox"
)

// opposite holds the upper bound of each lower one.
var opposite = map[string]string{"startDate": "endDate", "minAmount": "maxAmount"}

// TestFilters lists with each filter of the document, by the values of the records.
func TestFilters(t *testing.T) {
	a := target(t, sandbox.Config{Records: 100})
	for _, e := range a.endpoints(t) {
		if e.lookup() {
			continue
		}
		for _, parameter := range e.Parameters {
			p := parameter.Value
			t.Run(e.OperationID+"/"+p.Name, func(t *testing.T) {
				selects, _ := p.Extensions["x-selects"].(string)
				source := strings.TrimLeft(cmp.Or(selects, p.Name), "<>= ")
				if source == "createdAt" && a.Sandbox == nil { // the sandbox chose the member for the dates (spec 4.5)
					return
				}
				all := a.list(t, e, a.hundred())
				switch upper := opposite[p.Name]; {
				case p.Schema.Value.Type.Is(openapi3.TypeArray):
					a.filterByList(t, e, p, all)
				case upper != "":
					value := a.valueFor(t, e, p.Name, source, all)
					both := a.filter(t, e, source, value, url.Values{p.Name: {value}, upper: {value}})
					above, below := a.list(t, e, url.Values{p.Name: {value}}), a.list(t, e, url.Values{upper: {value}})
					if above.total+below.total-both.total != all.total {
						t.Errorf("%d above, %d below, %d both, %d in all", above.total, below.total, both.total, all.total)
					}
				case source == p.Name || strings.HasPrefix(source, p.Name+"."):
					value := a.valueFor(t, e, p.Name, source, all)
					a.filter(t, e, source, value, url.Values{p.Name: {value}})
				}
			})
		}
	}
}

// hundred asks the sandbox for all records of TestFilters. How to ask another implementation is not shown.
func (a *api) hundred() url.Values {
	if a.Sandbox == nil {
		return nil
	}
	return url.Values{"perPage": {"100"}}
}

// filter lists records that must all have a value, and of which there must be some.
func (a *api) filter(t *testing.T, e endpoint, source, value string, query url.Values) page {
	t.Helper()
	found := a.list(t, e, query)
	if len(found.records) == 0 {
		t.Errorf("%s finds no record", query.Encode())
	}
	for _, record := range found.records {
		if got := memberOf(record, source); got != value {
			t.Errorf("%s finds a record with %q", query.Encode(), got)
		}
	}
	return found
}

// filterByList lists with each value of an enumeration, and with two of them.
func (a *api) filterByList(t *testing.T, e endpoint, p *openapi3.Parameter, all page) {
	t.Helper()
	sum, totals := 0, map[any]int{}
	values := p.Schema.Value.Items.Value.Enum
	for _, value := range values {
		found := a.list(t, e, url.Values{p.Name: {fmt.Sprint(value)}})
		for _, record := range found.records {
			if got := memberOf(record, p.Name); got != value {
				t.Errorf("%v finds a record with %q", value, got)
			}
		}
		totals[value] = found.total
		sum += found.total
	}
	if sum != all.total {
		t.Errorf("%v records by value, %d in all", totals, all.total)
	}
	two := a.list(t, e, url.Values{p.Name: {fmt.Sprint(values[0]), fmt.Sprint(values[1])}})
	if two.total != totals[values[0]]+totals[values[1]] {
		t.Errorf("%d with one of two values, want %d and %d", two.total, totals[values[0]], totals[values[1]])
	}
}

// valueFor returns the value of a record that the document accepts for a parameter.
func (a *api) valueFor(t *testing.T, e endpoint, name, source string, all page) string {
	t.Helper()
	for _, record := range all.records {
		text := memberOf(record, source)
		if text != "" && a.validate(t, call{endpoint: e, query: url.Values{name: {text}}}) == nil {
			return text
		}
	}
	t.Fatalf("no record has a valid %s", source)
	return ""
}

// memberOf returns the text or number at a path of a record, or "".
func memberOf(record any, path string) string {
	for name := range strings.SplitSeq(path, ".") {
		object, _ := record.(map[string]any)
		record = object[name]
	}
	switch value := record.(type) {
	case string:
		return value
	case json.Number:
		return value.String()
	}
	return ""
}
