package projection

import (
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/execute/calls"
	"pixgraph/graph/execute/deferral"
	"pixgraph/upstream"
	"pixgraph/upstream/wire"
)

// kind determines how the value of a field is read and written. It follows from the type in the schema.
type kind int

const (
	kindTypename kind = iota
	kindText          // String, ID, DateTime, URL: copied
	kindCents         // Cents: an integer of 64 bits
	kindDecimal       // Decimal: copied
	kindInt           // Int: an integer of 32 bits
	kindBool          // Boolean
	kindJSON          // JSON: copied
	kindEnum          // an enum value of the schema, or UNKNOWN
	kindObject        // an object of the API
	kindDocument      // Document: a string or an object
	kindContact       // Contact: a string or an object
	kindObjects       // a list of objects
	kindTexts         // a list of strings
	kindLink          // another record
)

var scalars = map[string]kind{
	"String": kindText, "ID": kindText, "DateTime": kindText, "URL": kindText,
	"Cents": kindCents, "Decimal": kindDecimal, "Int": kindInt, "Boolean": kindBool, "JSON": kindJSON,
}

// object is the plan for a selection set on an object of the API.
type object struct {
	typeName string
	fields   []field
	names    names // the names of the selected members
	links    []int // the indexes of the fields that are links
	fixed    int   // upper bound of the bytes of an object, without strings, lists and nested objects
}

// field is one response key of a selection set.
type field struct {
	kind     kind
	alias    string
	key      []byte // the alias as written, with quotes and colon
	name     string // the API's member name
	slot     int    // the slot of the member in names; of a link, its index in links
	required bool
	values   []string       // the values of an enum
	unknown  *atomic.Uint64 // counts values that the enum lacks; nil for no count
	sub      *object
	follow   Follow                                 // for a link
	derive   func(upstream.Raw) (wire.Value, error) // for a derived field
	position *ast.Position
}

// compiler compiles one operation's selections.
type compiler struct {
	*Config
	operation *graphql.OperationContext
	bytes     int  // the size of the compiled plan
	derived   bool // whether the selection being compiled is on a derived value, whose lists have no invalid elements
}

// root compiles a root field. It returns nil if gqlgen must execute the field. A root field has a plan if the schema
// declares that it leads to a page of records, to a record, or to a list of records, of one type or of several, and if
// its selection leads to other records only by links to one record. Transaction.notifications is not such a link.
func (c *compiler) root(selected graphql.CollectedField) *plan {
	field := c.Calls[selected.Definition]
	if field == nil || field.Form == calls.Other || !nullable(field, selected.Definition.Type) || deferral.HasDeferred(selected.Field) {
		return nil
	}
	made := &plan{typeName: selected.Definition.Type.Name(), required: selected.Definition.Type.NonNull}
	c.bytes += int(unsafe.Sizeof(*made))
	if field.Form == calls.Entities {
		made.entities = map[string]*object{}
		for _, definition := range c.Schema.PossibleTypes[made.typeName] {
			record := c.object(definition.Name, selected.Selections)
			if record == nil {
				return nil
			}
			made.entities[definition.Name] = record
			c.bytes += entityBytes
		}
		return made
	}
	if field.Form == calls.Connection {
		parts, ok := c.parts(made.typeName, selected.Selections)
		if !ok {
			return nil
		}
		made.parts, made.shallow = parts, !slices.ContainsFunc(parts, part.reads)
		return made
	}
	if made.record = c.object(made.typeName, selected.Selections); made.record == nil {
		return nil
	}
	return made
}

// entityBytes is the memory of a type's entry in plan.entities.
const entityBytes = 64

// nullable reports whether a value and, in a list, its elements are nullable: a record that cannot be read is null. The
// list of entities itself cannot fail.
func nullable(field *calls.Field, t *ast.Type) bool {
	return (!t.NonNull || field.Form == calls.Entities) && (t.Elem == nil || !t.Elem.NonNull)
}

// object compiles a selection set. It returns nil if the selection leads to other records except by links.
func (c *compiler) object(typeName string, selections ast.SelectionSet) *object {
	o := &object{typeName: typeName}
	for _, selected := range graphql.CollectFields(c.operation, selections, []string{typeName, calls.Entity}) {
		f, ok := c.field(typeName, selected)
		if !ok {
			return nil
		}
		switch f.kind {
		case kindTypename: // CollectFields does not merge that of the union with that of the record
			if slices.ContainsFunc(o.fields, func(other field) bool { return other.alias == f.alias }) {
				continue
			}
		case kindLink:
			f.slot = len(o.links)
			o.links = append(o.links, len(o.fields))
		default:
			if f.derive == nil {
				f.slot = o.names.add(f.name)
			}
		}
		o.fields = append(o.fields, f)
		o.fixed += len(f.key) + f.fixed() + len(`,`)
	}
	o.fixed += len(`{}`) + len(o.typeName)
	c.bytes += o.size()
	return o
}

// size returns the memory of the plan in bytes, without the plans of nested objects.
func (o *object) size() int {
	bytes := int(unsafe.Sizeof(*o)) + cap(o.fields)*int(unsafe.Sizeof(field{})) + cap(o.links)*int(unsafe.Sizeof(0)) +
		cap(o.names.list)*int(unsafe.Sizeof("")) + cap(o.names.next)
	for _, f := range o.fields {
		bytes += cap(f.key)
	}
	return bytes
}

// fixed returns an upper bound of the bytes of the field's value, for kinds that have one.
func (f *field) fixed() int {
	switch f.kind {
	case kindCents, kindInt:
		return len(`-9223372036854775808`)
	case kindEnum:
		longest := len(upstream.Unknown)
		for _, value := range f.values {
			longest = max(longest, len(value))
		}
		return longest + len(`""`)
	default:
		return len(`false`)
	}
}

// shallow reports whether no field reads data within a member.
func (o *object) shallow() bool {
	return !slices.ContainsFunc(o.fields, func(f field) bool { return f.sub != nil || f.kind == kindTexts || f.derive != nil })
}

// field compiles a field by its type. It returns false if the field leads to other records except by a link.
func (c *compiler) field(typeName string, selected graphql.CollectedField) (field, bool) {
	f := field{
		alias: selected.Alias, key: []byte(`"` + selected.Alias + `":`), name: memberName(selected.Name),
		position: selected.Position,
	}
	if selected.Name == "__typename" {
		return f, true
	}
	typ := selected.Definition.Type
	f.required, f.derive = typ.NonNull, upstream.Derived(typeName, selected.Name)
	definition := c.Schema.Types[typ.Name()]
	switch {
	case definition.Kind == ast.Enum:
		f.kind, f.unknown, f.values = kindEnum, c.Unknown[definition.Name], c.values(definition)
		return f, typ.Elem == nil
	case definition.Kind == ast.Scalar:
		var known bool
		if f.kind, known = scalars[typ.Name()]; typ.Elem != nil {
			known, f.kind = f.kind == kindText, kindTexts
		}
		return f, known && (typ.Elem == nil || !typ.Elem.NonNull)
	case definition.Kind != ast.Object:
		return f, false
	case c.Calls[selected.Definition] != nil:
		if f.kind, f.follow = kindLink, c.Links(c.Calls[selected.Definition]); f.follow == nil || f.required {
			return f, false
		}
	case typ.Name() == "Document":
		f.kind = kindDocument
	case typ.Name() == "Contact":
		f.kind = kindContact
	case typ.Elem != nil:
		f.kind = kindObjects
	default:
		f.kind = kindObject
	}
	outer := c.derived
	c.derived = outer || f.derive != nil
	nullable := typ.Elem == nil || !typ.Elem.NonNull || c.derived
	f.sub = c.object(typ.Name(), selected.Selections)
	c.derived = outer
	return f, f.sub != nil && nullable
}

// values returns the names of the enum values without UNKNOWN.
func (c *compiler) values(enum *ast.Definition) []string {
	names := make([]string, 0, len(enum.EnumValues))
	for _, value := range enum.EnumValues {
		if value.Name != upstream.Unknown {
			names = append(names, value.Name)
		}
	}
	c.bytes += cap(names) * int(unsafe.Sizeof(""))
	return names
}

// memberName returns the API's name of a field: the same name, or for the Raw twin of an enum, such as statusRaw, the
// name without the suffix.
func memberName(name string) string { return strings.TrimSuffix(name, "Raw") }
