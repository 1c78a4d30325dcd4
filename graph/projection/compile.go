package projection

import (
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/calls"
	"pixgraph/upstream"
)

// kind is how a field's value is read and written. It follows from the field's type in the schema.
type kind int

const (
	kindTypename kind = iota
	kindText          // String, ID, DateTime, URL: copied
	kindCents         // Cents: an integer of 64 bits
	kindDecimal       // Decimal: copied
	kindInt           // Int: an integer of 32 bits
	kindBool          // Boolean
	kindJSON          // JSON: copied
	kindEnum          // one of the values of the schema, or UNKNOWN
	kindObject        // an object of the API
	kindDocument      // Document: a text or an object
	kindContact       // Contact: a text or an object
	kindObjects       // a list of objects
	kindTexts         // a list of texts
	kindLink          // another record
)

var scalars = map[string]kind{
	"String": kindText, "ID": kindText, "DateTime": kindText, "URL": kindText,
	"Cents": kindCents, "Decimal": kindDecimal, "Int": kindInt, "Boolean": kindBool, "JSON": kindJSON,
}

// object is the plan of a selection set on an object of the API.
type object struct {
	typeName string
	fields   []field
	names    names // of the members that are asked for
	links    []int // the fields that are links
	fixed    int   // bytes that an object takes in an answer at most, but for texts, lists and what is within it
}

// field is one response key of a selection set.
type field struct {
	kind     kind
	alias    string
	key      []byte // the alias as it is written, with its colon
	name     string // of the API's member
	slot     int    // of the member's name in names; of a link, its place in links
	required bool
	values   []string       // of an enum
	unknown  *atomic.Uint64 // counts what an enum has no value for; nil for no count
	sub      *object
	follow   Follow // of a link
	position *ast.Position
}

// compiler compiles one operation's selections.
type compiler struct {
	*Config
	operation *graphql.OperationContext
	bytes     int // of what was compiled
}

// compile makes the plan of a root field, and says how many bytes it takes. The rule: a root field is taken when the schema
// declares that it leads to a page of records, to a record, or to a list of records, and its selection leads to other records
// only by links to one record. Transaction.notifications is not such a link.
func (p *Projector) compile(operation *graphql.OperationContext, root graphql.CollectedField) (made *plan, bytes int) {
	made = &plan{typeName: root.Definition.Type.Name()}
	c := &compiler{Config: &p.config, operation: operation, bytes: int(unsafe.Sizeof(*made))}
	field := c.Calls[root.Definition]
	switch {
	case field == nil || field.Form == calls.Other || !nullable(root.Definition.Type):
	case field.Form == calls.Connection:
		if made.parts, made.taken = c.parts(made.typeName, root.Selections); made.taken {
			made.shallow = !slices.ContainsFunc(made.parts, part.reads)
		}
	default:
		made.record = c.object(made.typeName, root.Selections)
		made.taken = made.record != nil
	}
	return made, c.bytes
}

// nullable reports whether a value may be null, and each element of a list: a record that cannot be read is null at its place.
func nullable(t *ast.Type) bool { return !t.NonNull && (t.Elem == nil || !t.Elem.NonNull) }

// object compiles a selection set; nil when it leads to other records than by links.
func (c *compiler) object(typeName string, selections ast.SelectionSet) *object {
	o := &object{typeName: typeName}
	for _, selected := range graphql.CollectFields(c.operation, selections, []string{typeName}) {
		f, ok := c.field(typeName, selected)
		if !ok {
			return nil
		}
		switch f.kind {
		case kindTypename:
		case kindLink:
			f.slot = len(o.links)
			o.links = append(o.links, len(o.fields))
		default:
			f.slot = o.names.add(f.name)
		}
		o.fields = append(o.fields, f)
		o.fixed += len(f.key) + f.fixed() + len(`,`)
	}
	o.fixed += len(`{}`) + len(o.typeName)
	c.bytes += o.size()
	return o
}

// size is what the plan of a selection set takes in bytes, without those within it.
func (o *object) size() int {
	bytes := int(unsafe.Sizeof(*o)) + cap(o.fields)*int(unsafe.Sizeof(field{})) + cap(o.links)*int(unsafe.Sizeof(0)) +
		cap(o.names.list)*int(unsafe.Sizeof("")) + cap(o.names.next)
	for _, f := range o.fields {
		bytes += cap(f.key)
	}
	return bytes
}

// fixed is how many bytes a field's value takes at most, where they are bounded.
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

// shallow reports whether no field reads what is within a member.
func (o *object) shallow() bool {
	return !slices.ContainsFunc(o.fields, func(f field) bool { return f.sub != nil || f.kind == kindTexts })
}

// field compiles a field by its type; false when it leads to other records than by a link.
func (c *compiler) field(typeName string, selected graphql.CollectedField) (field, bool) {
	f := field{
		alias: selected.Alias, key: []byte(`"` + selected.Alias + `":`), name: memberName(selected.Name),
		position: selected.Position,
	}
	if selected.Name == "__typename" {
		return f, true
	}
	typ := selected.Definition.Type
	f.required = typ.NonNull
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
	f.sub = c.object(typ.Name(), selected.Selections)
	return f, f.sub != nil && (typ.Elem == nil || !typ.Elem.NonNull)
}

// values are the names of an enum's values, without UNKNOWN.
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

// memberName is the API's name of a field: its own, but for the twins of enums, such as statusRaw.
func memberName(name string) string {
	const twin = "Raw"
	if len(name) > len(twin) && name[len(name)-len(twin):] == twin {
		return name[:len(name)-len(twin)]
	}
	return name
}
