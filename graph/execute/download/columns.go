package download

import (
	"encoding/json"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/execute/calls"
	"pixgraph/upstream/wire"
)

// object is a selection set: the columns of a record, or of an object in one.
type object struct {
	fields []field // in the order of the response
	cells  int     // the columns of all fields
}

// field is a column, or an object with several.
type field struct {
	key    string
	form   form
	unit   unit   // for formScalar
	object object // for formObject
}

// form is how a value becomes a cell.
type form int

const (
	formScalar form = iota // as it is
	formJSON               // as JSON: free-form JSON, and lists of objects
	formTexts              // a list of scalars, joined
	formObject             // a column for each field
)

// unit is what a scalar says, where a dialect of CSV may write it in another form than JSON.
type unit int

const (
	unitNone unit = iota
	unitCents
	unitNumber // with a unit of its own
	unitTime
	unitDay
	units // their number
)

// inCents are the fields of type DecimalText that are in cents.
var inCents = [...]string{"amount", "amountPaid", "refundAmount", "netAmount"}

// unitOf returns the unit of a field of an object.
func unitOf(object *ast.Definition, field *ast.FieldDefinition) unit {
	switch field.Type.Name() {
	case "Cents":
		return unitCents
	case "Decimal":
		return unitNumber
	case "DecimalText":
		if slices.Contains(inCents[:], field.Name) {
			return unitCents
		}
		return unitNumber
	case "DateTime":
		return unitTime
	}
	if field.Name == "day" && object.Fields.ForName("count") != nil { // of a group of a summary
		return unitDay
	}
	return unitNone
}

// compiler finds the columns of a selection.
type compiler struct {
	schema    *ast.Schema
	operation *graphql.OperationContext
}

func (c compiler) object(of graphql.CollectedField) (o object) {
	for _, selected := range graphql.CollectFields(c.operation, of.Selections, []string{of.Definition.Type.Name(), calls.Entity}) {
		if slices.ContainsFunc(o.fields, func(other field) bool { return other.key == selected.Alias }) {
			continue // __typename of the union and of the record are one member, which CollectFields does not merge
		}
		f := field{key: selected.Alias, unit: unitOf(selected.ObjectDefinition, selected.Definition)}
		typ := selected.Definition.Type
		switch leaf := len(selected.Selections) == 0; {
		case typ.Name() == "JSON", !leaf && typ.Elem != nil:
			f.form = formJSON
		case !leaf:
			f.form, f.object = formObject, c.object(selected)
		case typ.Elem != nil:
			f.form = formTexts
		}
		o.fields = append(o.fields, f)
		o.cells += max(1, f.object.cells)
	}
	return o
}

// header appends the names of the columns.
func (o object) header(prefix string, names []string) []string {
	for _, f := range o.fields {
		if f.form == formObject {
			names = f.object.header(prefix+f.key+".", names)
		} else {
			names = append(names, prefix+f.key)
		}
	}
	return names
}

// visit calls cell for each column, in order. The value is the zero Value for a column of an object that is null, and
// null for a value that is. unknown says that a null is due to an error, by the paths of errors from the object on.
func (o object) visit(value wire.Value, errs []ast.Path, cell func(of *field, value wire.Value, unknown bool)) {
	var members wire.Parts
	readable := value.Exists() && !value.IsNull()
	if readable {
		members, _ = value.Members()
	}
	for i := range o.fields {
		f, member, below := &o.fields[i], wire.Value{}, errs
		if readable {
			below = under(errs, f.key)
			if members.Next() { // the members of a response are in the order of the fields
				member = members.Value()
			}
		}
		if f.form == formObject {
			f.object.visit(member, below, cell)
		} else {
			cell(f, member, len(below) > 0)
		}
	}
}

// under returns the paths that begin with a key, without it, and the empty ones.
func under(paths []ast.Path, key string) (below []ast.Path) {
	for _, path := range paths {
		if len(path) == 0 {
			below = append(below, path)
		} else if path[0] == ast.PathName(key) {
			below = append(below, path[1:])
		}
	}
	return below
}

// textOf returns the text of a JSON string.
func textOf(value wire.Value) []byte {
	quoted := value.Bytes()
	if value.IsPlain() {
		return quoted[1 : len(quoted)-1]
	}
	var text string
	_ = json.Unmarshal(quoted, &text) // the gateway checked it
	return []byte(text)
}
