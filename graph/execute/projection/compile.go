package projection

import (
	"slices"
	"strings"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/execute/calls"
	"pixgraph/graph/execute/deferral"
	"pixgraph/graph/execute/documents"
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

// typename is the field that each type has.
const typename = "__typename"

var scalars = map[string]kind{
	"String": kindText, "ID": kindText, "DateTime": kindText, "URL": kindText,
	"Cents": kindCents, "Decimal": kindDecimal, "Int": kindInt, "Boolean": kindBool, "JSON": kindJSON,
}

// selection is the plan for a selection set on what a root field or a link leads to.
type selection struct {
	typeName string             // the type of the field
	record   *object            // of a record, or of each record of a list
	entities map[string]*object // of records of several types, by their names
	parts    []part             // of an object that the gateway makes
	deferred *deferred          // on that object; nil for nothing
	leads    bool               // whether it has links
}

// object is the plan for a selection set on an object of the API.
type object struct {
	typeName string
	fields   []field
	names    wire.Names // the names of the selected members
	links    []int      // the indexes of the fields that are links
	deferred *deferred  // nil for nothing
	fixed    int        // upper bound of the bytes of an object, without strings, lists and nested objects
}

// field is one response key of a selection set.
type field struct {
	kind            kind
	alias           string
	key             []byte // the alias as written, with quotes and colon
	name            string // the API's member name
	slot            int    // the slot of the member in names
	required        bool
	elementRequired bool // of a list
	enum            *enum
	sub             *object
	linked          *selection                             // of a link
	follow          Follow                                 // of a link
	ahead           bool                                   // of a link: whether others do not wait for it
	derive          func(upstream.Raw) (wire.Value, error) // for a derived field
}

// enum is an enum of the schema.
type enum struct {
	values  []string       // without UNKNOWN
	unknown *atomic.Uint64 // counts values that the enum lacks; nil for no count
}

// compiler compiles one operation's selections.
type compiler struct {
	*Config
	enums     map[string]*enum
	operation *graphql.OperationContext
	deferred  *deferral.Plan // nil if nothing is deferred
	size      documents.Size // of the compiled plan
}

// root compiles a root field.
func (c *compiler) root(selected graphql.CollectedField) *plan {
	made := &plan{selection: c.selection(selected), required: selected.Definition.Type.NonNull}
	made.shallow = made.parts != nil && !made.reads()
	return made
}

// selection compiles the selection set of a field that leads to records, or to objects that the gateway makes.
func (c *compiler) selection(selected graphql.CollectedField) *selection {
	s := c.selectionOn(selected.Definition.Type.Name(), selected.Selections)
	if s.record != nil {
		s.record.deferred = c.deferFrom(selected.Field, s.typeName)
	} else {
		s.deferred = c.deferFrom(selected.Field, s.typeName)
	}
	return s
}

func (c *compiler) selectionOn(typeName string, selections ast.SelectionSet) *selection {
	s := &selection{typeName: typeName}
	c.size.Add("")
	switch {
	case c.Made[typeName]:
		s.parts = c.parts(typeName, selections)
		s.leads = slices.ContainsFunc(s.parts, func(p part) bool { return p.sub != nil && p.sub.leads })
	case typeName == calls.Entity:
		s.entities = map[string]*object{}
		for _, definition := range c.Schema.PossibleTypes[typeName] {
			s.entities[definition.Name] = c.object(definition.Name, selections)
			s.leads = s.leads || len(s.entities[definition.Name].links) > 0
		}
	default:
		s.record = c.object(typeName, selections)
		s.leads = len(s.record.links) > 0
	}
	return s
}

// object compiles a selection set on an object of the API.
func (c *compiler) object(typeName string, selections ast.SelectionSet) *object {
	o := &object{typeName: typeName}
	c.size.Add("")
	for _, selected := range graphql.CollectFields(c.operation, selections, []string{typeName, calls.Entity}) {
		f := c.field(selected)
		switch f.kind {
		case kindTypename: // CollectFields does not merge that of the union with that of the record
			if slices.ContainsFunc(o.fields, func(other field) bool { return other.alias == f.alias }) {
				continue
			}
		case kindLink:
			o.links = append(o.links, len(o.fields))
		default:
			if f.derive == nil {
				f.slot = o.names.Add(f.name)
			}
		}
		o.fields = append(o.fields, f)
		c.size.Add(f.alias)
		o.fixed += len(f.key) + f.fixed() + len(`,`)
	}
	o.fixed += len(`{}`) + len(o.typeName)
	return o
}

// fixed returns an upper bound of the bytes of the field's value, for kinds that have one.
func (f *field) fixed() int {
	switch f.kind {
	case kindCents, kindInt:
		return len(`-9223372036854775808`)
	case kindEnum:
		longest := len(upstream.Unknown)
		for _, value := range f.enum.values {
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

// field compiles a field by its type.
func (c *compiler) field(selected graphql.CollectedField) field {
	f := field{
		alias: selected.Alias, key: []byte(`"` + selected.Alias + `":`), name: memberName(selected.Name),
	}
	if selected.Name == typename {
		return f
	}
	typ := selected.Definition.Type
	f.required, f.derive = typ.NonNull, upstream.Derived(selected.Name)
	f.elementRequired = typ.Elem != nil && typ.Elem.NonNull
	definition := c.Schema.Types[typ.Name()]
	switch {
	case definition.Kind == ast.Enum:
		f.kind, f.enum = kindEnum, c.enums[definition.Name]
		return f
	case definition.Kind == ast.Scalar:
		if f.kind = scalars[typ.Name()]; typ.Elem != nil {
			f.kind = kindTexts
		}
		return f
	case c.Calls[selected.Definition] != nil:
		f.kind, f.follow, f.linked = kindLink, c.Links(selected), c.selection(selected)
		f.ahead = f.linked.leads || c.Calls[selected.Definition].ID == nil
		return f
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
	f.sub.deferred = c.deferFrom(selected.Field, typ.Name())
	return f
}

// enumsOf compiles the enums of a schema, by their names.
func enumsOf(schema *ast.Schema, unknown Unknown) map[string]*enum {
	enums := map[string]*enum{}
	for name, definition := range schema.Types {
		if definition.Kind != ast.Enum {
			continue
		}
		e := &enum{unknown: unknown[name]}
		for _, value := range definition.EnumValues {
			if value.Name != upstream.Unknown {
				e.values = append(e.values, value.Name)
			}
		}
		enums[name] = e
	}
	return enums
}

// memberName returns the API's name of a field: the same name, or for the Raw twin of an enum, such as statusRaw, the
// name without the suffix.
func memberName(name string) string { return strings.TrimSuffix(name, "Raw") }
