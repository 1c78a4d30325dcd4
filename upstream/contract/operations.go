package contract

import (
	"bytes"
	"fmt"
	"go/format"
	"slices"
	"strings"
	"text/template"
)

var operationsTemplate = template.Must(template.New("").Funcs(template.FuncMap{"title": title, "lower": strings.ToLower}).Parse(
	`// Code generated from docs/upstream-api.yaml by upstream/contract/generate. DO NOT EDIT.

package sandbox

import "pixgraph/upstream/sandbox/ledger"

// The routes, as in Fault.Route.
const (
{{- range . }}
	Route{{ .Record }} = "{{ lower .Record }}" // spec {{ .Section }}
{{- end }}
)

// operations returns the endpoints of spec 4, with their parameters in the order of the tables.
func operations() []operation {
	return []operation{
{{- range . }}
		{ // spec {{ .Section }}
			service: {{ title .Service }}, segment: "{{ .Segment }}", kind: ledger.{{ .Record }},
			{{- if .Invalid }} invalid: true,{{ end }}
			{{- if .ID }}
			id: &parameter{ {{- .ID -}} },
			{{- end }}
			{{- if .Query }}
			query: []parameter{
				{{- range .Query }}
				{ {{- . -}} },
				{{- end }}
			},
			{{- end }}
		},
{{- end }}
	}
}
`))

func title(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// Operations returns the file of the sandbox that has the operations of the document and the rules of their parameters.
func (d *Document) Operations() ([]byte, error) {
	type operation struct {
		Section, Service, Segment, Record string
		Invalid                           bool // lists 422
		ID                                string
		Query                             []string
	}
	var operations []operation
	for _, e := range d.endpoints() {
		segment, _, _ := strings.Cut(strings.TrimPrefix(e.path, "/"), "/")
		o := operation{
			Section: e.section, Service: e.service, Segment: segment, Record: e.record, Invalid: e.operation.Responses.Get("422") != nil,
		}
		for _, p := range e.parameters {
			literal, err := d.parameter(p)
			if err != nil {
				return nil, err
			}
			if p.In == "path" {
				o.ID = literal
			} else {
				o.Query = append(o.Query, literal)
			}
		}
		operations = append(operations, o)
	}
	var source bytes.Buffer
	if err := operationsTemplate.Execute(&source, operations); err != nil {
		return nil, err
	}
	return format.Source(source.Bytes())
}

// parameter returns the members of a parameter of the sandbox, in Go.
func (d *Document) parameter(p *Parameter) (string, error) {
	forms := map[string]string{"DateTime": "formDate", "Uuid": "formUUID", "UuidV4": "formUUIDv4", "AnyPixKey": "formPixKey"}
	name, s := d.resolve(p.Schema)
	literal := fmt.Sprintf("name: %q, form: ", p.Name)
	switch {
	case forms[name] != "":
		return literal + forms[name], nil
	case slices.Contains(s.Type, "array"):
		_, element := d.resolve(s.Items)
		return literal + fmt.Sprintf("formList, allowed: %#v", element.Enum), nil
	case slices.Contains(s.Type, "integer"):
		return literal + fmt.Sprintf("formInteger, min: %d, max: %d", s.Minimum, s.Maximum), nil
	case s.MaxLength > 0:
		return literal + fmt.Sprintf("formText, min: %d, max: %d", s.MinLength, s.MaxLength), nil
	case slices.Equal(s.Type, types{"string"}):
		return literal + "formAny", nil
	}
	return "", fmt.Errorf("parameter %s: the sandbox has no form for its schema", p.Name)
}
