package contract

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// block is a generated part of docs/upstream-api.md: its name between the two marks.
var block = regexp.MustCompile(`(?s)(<!-- generated: ([^\n]*) -->\n).*?(<!-- end -->)`)

// Tables returns the text of docs/upstream-api.md with its generated parts from the document. It fails if a part is
// unknown, or if the text lacks one.
func (d *Document) Tables(text string) (string, error) {
	parts := d.parts()
	var errs []error
	text = block.ReplaceAllStringFunc(text, func(part string) string {
		match := block.FindStringSubmatch(part)
		table, known := parts[match[2]]
		if !known {
			errs = append(errs, fmt.Errorf("docs/upstream-api.md: the document has no %q, or it is there twice", match[2]))
		}
		delete(parts, match[2])
		return match[1] + "\n" + table + "\n" + match[3]
	})
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		errs = append(errs, fmt.Errorf("docs/upstream-api.md lacks a section with <!-- generated: %s --> and <!-- end -->", name))
	}
	return text, errors.Join(errs...)
}

// parts returns the generated parts by their names.
func (d *Document) parts() map[string]string {
	parts := map[string]string{"errors": d.errors(), "limits": d.limits()}
	elsewhere := map[string]bool{} // schemas with a part of their own
	for _, e := range d.endpoints() {
		elsewhere[e.answer], elsewhere[e.record] = true, true
		parts["operation "+e.operation.ID] = d.endpointTables(e)
		parts["record "+e.record] = d.properties(e.record)
		status := d.Components.Schemas.Get(e.record).Properties.Get("status")
		if status == nil || status.Ref == "" {
			continue
		}
		name, statuses := d.resolve(status)
		elsewhere[name] = true
		parts["statuses "+name] = values(name, statuses)
	}
	var rest strings.Builder
	enums := table("name", "values", "meaning")
	for _, schema := range d.Components.Schemas {
		name, s := schema.Name, schema.Value
		switch {
		case elsewhere[name]:
		case len(s.Enum) > 0:
			enums += row(code(name), codes(s.Enum), s.Description)
		case len(s.Properties) > 0:
			rest.WriteString("#### " + name + "\n\n" + d.properties(name) + "\n")
		case slices.Contains(s.Type, "object") || len(s.AnyOf) > 0 && s.Type == nil:
			rest.WriteString("#### " + name + "\n\n" + strings.TrimSpace(s.Description) + "\n\n")
		}
	}
	parts["parts"] = rest.String() + "#### Enumerations\n\n" + enums
	return parts
}

func table(heads ...string) string {
	return row(heads...) + "|" + strings.Repeat("---|", len(heads)) + "\n"
}

func row(cells ...string) string {
	for i, cell := range cells {
		cells[i] = strings.Join(strings.Fields(cell), " ")
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

func code(name string) string { return "`" + name + "`" }

func codes(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }

// properties returns the table of the properties of an object.
func (d *Document) properties(name string) string {
	schema := d.Components.Schemas.Get(name)
	rows := table("field", "type", "present", "meaning")
	for _, property := range schema.Properties {
		required := slices.Contains(schema.Required, property.Name)
		words, nullable := d.words(property.Value)
		presence := "maybe"
		switch {
		case required:
			presence = "always"
			if nullable {
				words += " or null"
			}
		case schema.Then != nil && slices.Contains(schema.Then.Required, property.Name):
			presence = "always with PIX"
		}
		rows += row(code(property.Name), words, presence, property.Value.Description)
	}
	return rows
}

// named holds the words and the rules of schemas of one type, for those that have other words than their type.
var named = map[string]struct{ words, rule string }{
	"DateTime": {"date-time", "a time is part of it"}, "Uuid": {"UUID", "of any version"}, "UuidV4": {"UUID", "of version 4"},
	"Cents": {words: "cents"}, "AnyPixKey": {"text", "a valid Pix key"},
}

// words returns the type of a property in the words of docs/upstream-api.md, and whether it may be null.
func (d *Document) words(s *Schema) (words string, nullable bool) {
	if s.Ref != "" {
		name, schema := d.resolve(s)
		switch {
		case named[name].words != "":
			return named[name].words, false
		case len(schema.Type) == 1 && schema.Type[0] != "object" && schema.Enum == nil:
			return d.words(schema)
		}
		return code(name), false
	}
	if len(s.AnyOf) > 0 { // a schema, or null
		words, _ = d.words(s.AnyOf[0])
		return words, true
	}
	if s.Type == nil {
		return "anything", false
	}
	var alternatives []string
	for _, typ := range s.Type {
		switch typ {
		case "null":
			nullable = true
		case "string":
			alternatives = append(alternatives, "text")
		case "array":
			element, _ := d.words(s.Items)
			alternatives = append(alternatives, "list of "+element)
		default:
			alternatives = append(alternatives, typ)
		}
	}
	return strings.Join(alternatives, " or "), nullable
}

// endpointTables returns the path, the parameters, the answer and the errors of an operation.
func (d *Document) endpointTables(e endpoint) string {
	text := "`GET " + e.path + "` below the base URL of the " + e.service + ":\n\n" + table("parameter", "type", "rule", "meaning")
	for _, p := range e.parameters {
		words, _ := d.words(p.Schema)
		rule := d.rule(p.Schema)
		if p.In == "path" {
			rule = strings.TrimSuffix("part of the path, "+rule, ", ")
		}
		text += row(code(p.Name), words, rule, p.Description)
	}
	if e.answer == e.record {
		text += "\nThe answer is a " + code(e.answer) + " (spec " + sectionOf(d.Components.Schemas.Get(e.record).Description) + ").\n"
	} else {
		text += "\nNo parameter is required. The answer is a " + code(e.answer) + ":\n\n" + d.properties(e.answer)
	}
	var statuses []string
	for _, response := range e.operation.Responses {
		if response.Name != "200" {
			statuses = append(statuses, response.Name)
		}
	}
	return text + "\nErrors: " + strings.Join(statuses, ", ") + " (spec 7).\n"
}

// rule returns what values a parameter must have, besides their type.
func (d *Document) rule(s *Schema) string {
	name, s := d.resolve(s)
	rule := named[name].rule
	switch {
	case slices.Contains(s.Type, "array"):
		rule = "not empty, no value twice"
	case len(s.Enum) > 0:
		rule = "one of " + codes(s.Enum)
	case s.MaxLength > 0:
		rule = fmt.Sprintf("%d to %d characters", s.MinLength, s.MaxLength)
	case s.Maximum > 0:
		rule = fmt.Sprintf("%d to %d", s.Minimum, s.Maximum)
		if strings.HasPrefix(s.Description, "Cents") {
			rule += " cents"
		}
	case len(s.AnyOf) > 0:
		var titles []string
		for _, other := range s.AnyOf {
			titles = append(titles, other.Title)
		}
		rule += ": " + strings.Join(titles, ", ")
	}
	return rule
}

// values returns the values of an enumeration: a list, or a table if the document has their meanings.
func values(name string, s *Schema) string {
	if s.Meanings == nil {
		return code(name) + ": " + codes(s.Enum) + ".\n"
	}
	rows := code(name) + ":\n\n" + table("value", "meaning")
	for _, value := range s.Enum {
		rows += row(code(value), s.Meanings[value])
	}
	return rows
}

// errors returns the table of statuses.
func (d *Document) errors() string {
	sections, references := map[string][]string{}, map[string]string{} // by status
	for _, e := range d.endpoints() {
		for _, response := range e.operation.Responses {
			if response.Name == "200" {
				continue
			}
			references[response.Name] = strings.TrimPrefix(response.Value.Ref, "#/components/responses/")
			sections[response.Name] = append(sections[response.Name], e.section)
		}
	}
	rows := table("status", "meaning", "endpoints")
	for _, status := range slices.Sorted(maps.Keys(sections)) {
		endpoints := strings.Join(sections[status], ", ")
		if len(sections[status]) == len(d.Paths) {
			endpoints = "all"
		}
		rows += row(status, d.Components.Responses.Get(references[status]).Description, endpoints)
	}
	return rows
}

// limits returns the table of the bounds of parameters.
func (d *Document) limits() string {
	rows := table("parameters", "limit", "where")
	for _, e := range d.endpoints() {
		parameters := map[string][]string{}
		var rules []string
		for _, p := range e.parameters {
			_, s := d.resolve(p.Schema)
			if s.MaxLength == 0 && s.Maximum == 0 {
				continue
			}
			rule := d.rule(p.Schema)
			if parameters[rule] == nil {
				rules = append(rules, rule)
			}
			parameters[rule] = append(parameters[rule], p.Name)
		}
		for _, rule := range rules {
			rows += row(codes(parameters[rule]), rule, "spec "+e.section)
		}
	}
	return rows
}
