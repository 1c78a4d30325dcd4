package contract

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"go/format"
	"slices"
	"strconv"
	"strings"
	"text/template"
)

//go:embed *.gotpl
var templateFiles embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"title": title, "lowerFirst": lowerFirst,
}).ParseFS(templateFiles, "*"))

func title(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

func lowerFirst(text string) string { return strings.ToLower(text[:1]) + text[1:] }

// source is what the templates need.
type source struct {
	Enums      []enum
	Operations []operation
	Records    []record
}

type enum struct {
	Name, Description string
	Values            []string
}

type operation struct {
	Section, Service, Segment, Record, Path string
	Name, Does                              string      // Deposits; list deposits
	Invalid                                 bool        // 422 is one of its statuses
	ID                                      *parameter  // in the path
	Query                                   []parameter // of a list
	Finds                                   bool        // whether the list finds one record by its id, which no other operation does
}

type parameter struct {
	Name, Rule string
	ID         string // the form of an id
	Sandbox    string // its form, as members of a parameter of the sandbox
	Field      string // of a filter of the client
	Type       string // of the field
	Check      string // the statement that checks the field; "" if no text is rejected
	Send       string // the statement that adds it to a query
}

// source returns the enumerations, the records and the operations of the document.
func (d *Document) source() (source, error) {
	var s source
	for _, schema := range d.Components.Schemas {
		if values := schema.Value.Enum; len(values) > 0 {
			s.Enums = append(s.Enums, enum{schema.Name, schema.Value.Description, values})
		}
	}
	for _, e := range d.endpoints() {
		segment, _, _ := strings.Cut(strings.TrimPrefix(e.path, "/"), "/")
		o := operation{
			Section: e.section, Service: e.service, Segment: segment, Record: e.record, Invalid: e.operation.Responses.Get("422") != nil,
			Name: e.name, Path: e.path, Does: lowerFirst(strings.Split(e.operation.Summary, " (")[0]),
		}
		for _, p := range e.parameters {
			made, err := d.parameter(p, e.record)
			switch {
			case err != nil:
				return s, err
			case p.In == "path":
				o.ID = &made
			default:
				o.Query = append(o.Query, made)
			}
		}
		s.Operations = append(s.Operations, o)
	}
	s.Records = d.records(s.Operations)
	return s, nil
}

// parameter returns how the client and the sandbox check a parameter, by its schema.
func (d *Document) parameter(p *Parameter, record string) (parameter, error) {
	field := title(p.Name)
	if p.Name == "id" {
		field = "ID"
	}
	call := func(begin string, more ...any) string { // a call with the name and the field, and more arguments
		for _, argument := range append([]any{strconv.Quote(p.Name), "f." + field}, more...) {
			begin += fmt.Sprint(argument, ", ")
		}
		return strings.TrimSuffix(begin, ", ") + ")"
	}
	text := parameter{
		Name: p.Name, Rule: d.rule(p.Schema), Field: field, Type: "*string", Send: call("query.text("),
	}
	as := func(sandbox, check string) (parameter, error) {
		text.Sandbox, text.Check = "form: "+sandbox, check
		if p.In == "path" {
			return text, nil
		}
		comparison, member, compared := strings.Cut(cmp.Or(p.Selects, p.Name), " ")
		if !compared {
			member = comparison
		}
		if text.Sandbox += fmt.Sprintf(", member: %q", member); compared {
			text.Sandbox += fmt.Sprintf(", comparison: %q", comparison)
		}
		if property, _, _ := strings.Cut(member, "."); d.Components.Schemas.Get(record).Properties.Get(property) == nil {
			return text, fmt.Errorf("parameter %s: %s has no %s: x-selects must name a property", p.Name, record, property)
		}
		return text, nil
	}
	name, s := d.resolve(p.Schema)
	switch {
	case name == "DateTime":
		return as("formDate", call("v.date("))
	case name == "Uuid":
		text.ID = "UUID"
		return as("formUUID", call("v.id(", text.ID))
	case name == "UuidV4":
		text.ID = "UUIDv4"
		return as("formUUIDv4", call("v.id(", text.ID))
	case name == "AnyPixKey":
		return as("formPixKey", call("v.pixKey("))
	case slices.Contains(s.Type, "array"):
		element, values := d.resolve(s.Items)
		if element == "" || len(values.Enum) == 0 {
			return text, fmt.Errorf("parameter %s: its items must refer to an enumeration", p.Name)
		}
		text.Type, text.Send = "[]"+element, call("addValues(query, ")
		return as(fmt.Sprintf("formList, allowed: %#v", values.Enum), call("checkValues(&v, "))
	case slices.Contains(s.Type, "integer") && s.Maximum > 0:
		text.Type, text.Send = "*Cents", call("query.amount(")
		return as(fmt.Sprintf("formInteger, min: %d, max: %d", s.Minimum, s.Maximum), call("v.amount(", s.Minimum, s.Maximum))
	case s.MaxLength > 0:
		return as(fmt.Sprintf("formText, min: %d, max: %d", s.MinLength, s.MaxLength), call("v.code(", s.MinLength, s.MaxLength))
	case slices.Equal(s.Type, types{"string"}) && len(s.Enum) > 0:
		allowed := fmt.Sprintf("%#v", s.Enum)
		return as("formAny, allowed: "+allowed, fmt.Sprintf(
			"if f.%[1]s != nil {\nswitch *f.%[1]s {\ncase %[2]s:\ndefault:\nv.add(%[3]q, %[4]q)\n}\n}",
			field, strings.TrimSuffix(strings.TrimPrefix(allowed, "[]string{"), "}"), p.Name, "must be one of "+strings.Join(s.Enum, ", "),
		))
	case slices.Equal(s.Type, types{"string"}):
		text.ID = "NotificationID"
		return as("formAny", "")
	}
	return text, fmt.Errorf("parameter %s: there is no form for its schema", p.Name)
}

// render executes a template.
func (s source) render(name string) ([]byte, error) {
	var text bytes.Buffer
	if err := templates.ExecuteTemplate(&text, name, s); err != nil {
		return nil, err
	}
	return format.Source(text.Bytes())
}
