package contract

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// record is what the gateway does with a kind of records: an upstream.Contract.
type record struct {
	Name, List, Service string
	Description         string
	ID                  string // the form of its ids; "" if no operation finds one
	Scopes              []string
	Settled, Waiting    []string
	Volatile            string // an upstream.Members
	Amounts             []amount
	Members             []member
}

// member is a member of a record of the sandbox, which can make its values by itself if there are some.
type member struct {
	Name               string
	Required, Nullable bool
	Values             []string // JSON
}

// amount is an upstream.Amount.
type amount struct {
	Field, Name     string
	Cents, Required bool
}

// records returns the kinds of records in the order of their operations, of which it says which list finds a record.
func (d *Document) records(operations []operation) (records []record) {
	for i, e := range d.endpoints() {
		at := slices.IndexFunc(records, func(r record) bool { return r.Name == e.record })
		if at < 0 {
			at, records = len(records), append(records, d.record(e.record, e.service))
		}
		r, o := &records[at], &operations[i]
		id := o.ID
		if id == nil {
			r.List = lowerFirst(e.name)
			if filter := slices.IndexFunc(o.Query, func(p parameter) bool { return p.Name == "id" }); filter >= 0 {
				id = &o.Query[filter]
				o.Finds = !slices.ContainsFunc(operations, func(other operation) bool { return other.Record == o.Record && other.ID != nil })
			}
		}
		if id != nil && (o.ID != nil || o.Finds) {
			r.ID = id.ID
		}
		r.Scopes = append(r.Scopes, e.operation.Scopes...)
	}
	return records
}

func (d *Document) record(name, service string) record {
	schema := d.Components.Schemas.Get(name)
	r := record{Name: name, Service: service, Description: schema.Description}
	if status := schema.Properties.Get("status"); status != nil {
		_, values := d.resolve(status)
		r.Settled, r.Waiting = values.Settled, values.Waiting
	}
	r.Volatile = d.volatile(name)
	for _, property := range schema.Properties {
		_, value, nullable := d.unwrap(property.Value)
		r.Members = append(r.Members, member{property.Name, slices.Contains(schema.Required, property.Name), nullable, valuesOf(value)})
		if property.Value.Sum != "" {
			typ, _, _ := d.unwrap(property.Value)
			r.Amounts = append(r.Amounts, amount{title(property.Value.Sum), property.Name, typ == "Cents", slices.Contains(schema.Required, property.Name)})
		}
	}
	return r
}

// valuesOf returns some JSON values of a schema; nil for those of objects and lists.
func valuesOf(s *Schema) (values []string) {
	typ := strings.Join(slices.DeleteFunc(slices.Clone(s.Type), func(typ string) bool { return typ == "null" }), " ")
	for _, text := range slices.Concat(s.Enum, s.Examples) {
		if typ == "string" {
			text = strconv.Quote(text)
		}
		values = append(values, text)
	}
	if values == nil {
		values = map[string][]string{"string": {`"texto"`}, "number": {"1", "2.5"}, "integer": {"1"}, "boolean": {"true", "false"}}[typ]
	}
	return values
}

// volatile returns the members of an upstream.Members: the volatile properties of a schema, and of those within it.
func (d *Document) volatile(name string) string {
	var members strings.Builder
	schema := d.Components.Schemas.Get(name)
	if schema == nil {
		return ""
	}
	for _, property := range schema.Properties {
		inner, element, _ := d.unwrap(property.Value)
		if element.Items != nil {
			inner, _ = d.resolve(element.Items)
		}
		switch within := d.volatile(inner); {
		case property.Value.Volatile:
			fmt.Fprintf(&members, "%q: nil,", property.Name)
		case within != "":
			fmt.Fprintf(&members, "%q: {%s},", property.Name, within)
		}
	}
	return members.String()
}
