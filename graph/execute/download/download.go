// Package download turns the pages of a list into a file: CSV or lines of JSON, with a record in each row. It has the
// rules for which operations can be downloaded, the query of each page, the columns, and both formats. It reads no page
// and does no HTTP: packages pipeline and transport do.
//
// Read New first, which finds the list in an operation.
package download

import (
	"maps"
	"net/http"
	"slices"
	"unsafe"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/apierror"
	"pixgraph/graph/execute/calls"
	"pixgraph/graph/execute/documents"
	"pixgraph/graph/execute/projection"
	"pixgraph/upstream/wire"
)

// List is the list that an operation downloads.
type List struct {
	Name string // of the operation, or the response key of the list; letters, digits and underscores

	operation *graphql.OperationContext
	key       string // the response key of the list
	nodes     string // the response key of nodes, or of edges
	node      string // the response key of node in an edge; "" without edges
	columns   object
	given     map[string]any // the arguments
	Cursors   bool           // whether first and after select the pages, not page and perPage
	Size      any            // of the pages: perPage or first; nil if absent
}

// Start is where a page begins: the zero value where the operation says.
type Start struct {
	Page  int64
	After string // a cursor, for a list with Cursors
}

func notDownloadable(message string) error {
	return &apierror.Error{Status: http.StatusNotAcceptable, Code: apierror.BadRequest, Message: "no download: " + message}
}

// New finds the list in an operation that is valid. Its errors say why the operation cannot be downloaded.
func New(schema *ast.Schema, declared calls.Fields, operation *graphql.OperationContext) (*List, error) {
	roots := graphql.CollectFields(operation, operation.Operation.SelectionSet, []string{schema.Query.Name})
	if len(roots) != 1 || declared[roots[0].Definition] == nil || declared[roots[0].Definition].Form != calls.Connection {
		return nil, notDownloadable("the operation must select exactly one field, which is a list with pages, such as deposits")
	}
	root := roots[0]
	l := &List{Name: operation.Operation.Name, operation: operation, key: root.Alias, given: root.ArgumentMap(operation.Variables)}
	l.Cursors = l.given[argumentFirst] != nil || l.given[argumentAfter] != nil
	l.Size = l.given[l.sizedBy()]
	if l.Name == "" {
		l.Name = l.key
	}
	records, edge := selected(operation, root, "nodes"), graphql.CollectedField{}
	if edges := selected(operation, root, "edges"); len(edges) == 1 && len(records) == 0 {
		edge, records = edges[0], selected(operation, edges[0], "node")
	} else if len(edges) > 0 {
		records = nil
	}
	if len(records) != 1 {
		return nil, notDownloadable("the list must select its records exactly once, by nodes { ... } or by edges { node { ... } }")
	}
	l.nodes = records[0].Alias
	if edge.Field != nil {
		l.nodes, l.node = edge.Alias, records[0].Alias
	}
	c := compiler{schema, operation}
	l.columns = c.object(records[0])
	return l, nil
}

// selected returns the fields with a name in the selection of a field.
func selected(operation *graphql.OperationContext, in graphql.CollectedField, name string) (found []graphql.CollectedField) {
	for _, field := range graphql.CollectFields(operation, in.Selections, []string{in.Definition.Type.Name()}) {
		if field.Name == name {
			found = append(found, field)
		}
	}
	return found
}

// The arguments that select a page. The query of a page has a variable for each.
const (
	argumentPage    = "page"
	argumentPerPage = "perPage"
	argumentFirst   = "first"
	argumentAfter   = "after"
)

// arguments are the names of the arguments of a page.
func arguments() []string {
	return []string{argumentPage, argumentPerPage, argumentFirst, argumentAfter}
}

// variableOf returns the variable of an argument. No variable of a document has such a name.
func variableOf(argument string) string { return "download." + argument }

// sizedBy returns the argument that has the size of the pages.
func (l *List) sizedBy() string {
	if l.Cursors {
		return argumentFirst
	}
	return argumentPerPage
}

// Query returns the query of the page that begins at a place, by its size, where nil is that of the API. The query
// differs from the operation in the values of the arguments of a page only. It is kept with the document, so that it is
// planned once.
func (l *List) Query(cache *documents.Cache, at Start, size any) *graphql.OperationContext {
	original := l.operation.Operation
	key := documents.PlanKey{Operation: original, Conditions: "download"}
	paged, ok := cache.Plan(l.operation.Doc, key)
	if !ok {
		r := rewriter{}
		other := *original
		other.SelectionSet = r.set(original.SelectionSet)
		paged = &other
		cache.Keep(l.operation.Doc, key, paged, r.bytes+int(unsafe.Sizeof(other)))
	}
	query := projection.With(l.operation, paged.(*ast.OperationDefinition))
	query.Extensions, query.Headers = nil, nil
	query.Variables = maps.Clone(query.Variables)
	if query.Variables == nil {
		query.Variables = map[string]any{}
	}
	for _, name := range arguments() {
		query.Variables[variableOf(name)] = l.given[name]
	}
	query.Variables[variableOf(l.sizedBy())] = size
	switch {
	case at.After != "":
		query.Variables[variableOf(argumentAfter)] = at.After
	case at.Page > 0:
		query.Variables[variableOf(argumentPage)] = at.Page
	}
	return query
}

// rewriter copies the selections at the root of an operation, and replaces the arguments of lists. Conditions stay, so
// the copy does not depend on variables.
type rewriter struct{ bytes int }

func (r *rewriter) set(set ast.SelectionSet) ast.SelectionSet {
	copied := make(ast.SelectionSet, len(set))
	for i, selection := range set {
		switch selection := selection.(type) {
		case *ast.Field:
			field := *selection
			field.Arguments = r.arguments(selection)
			copied[i] = &field
			r.bytes += int(unsafe.Sizeof(field))
		case *ast.InlineFragment:
			fragment := *selection
			fragment.SelectionSet = r.set(selection.SelectionSet)
			copied[i] = &fragment
			r.bytes += int(unsafe.Sizeof(fragment))
		case *ast.FragmentSpread:
			fragment := &ast.InlineFragment{
				TypeCondition: selection.Definition.TypeCondition, Directives: selection.Directives,
				SelectionSet: r.set(selection.Definition.SelectionSet), ObjectDefinition: selection.ObjectDefinition, Position: selection.Position,
			}
			copied[i] = fragment
			r.bytes += int(unsafe.Sizeof(*fragment))
		}
	}
	r.bytes += len(copied) * int(unsafe.Sizeof(copied[0]))
	return copied
}

func (r *rewriter) arguments(field *ast.Field) ast.ArgumentList {
	if field.Definition == nil || field.Definition.Arguments.ForName(argumentPerPage) == nil {
		return field.Arguments
	}
	var list ast.ArgumentList
	for _, argument := range field.Arguments {
		if !slices.Contains(arguments(), argument.Name) {
			list = append(list, argument)
		}
	}
	for _, name := range arguments() {
		value := &ast.Value{Kind: ast.Variable, Raw: variableOf(name), Position: field.Position}
		list = append(list, &ast.Argument{Name: name, Value: value, Position: field.Position})
		r.bytes += int(unsafe.Sizeof(*value) + unsafe.Sizeof(ast.Argument{}))
	}
	r.bytes += cap(list) * int(unsafe.Sizeof(list))
	return list
}

// Records returns the records in the data of a page, which are valid until the value is released. ok is false if the
// data has no list of records.
func (l *List) Records(data wire.Value) (records wire.Parts, ok bool) {
	list := data.Get(l.key)
	if !list.Exists() {
		return records, false
	}
	nodes := list.Get(l.nodes)
	if !nodes.Exists() {
		return records, false
	}
	records, err := nodes.Elements()
	return records, err == nil
}

// Record returns the record of an element of Records; null if it cannot be read.
func (l *List) Record(element wire.Value) wire.Value {
	if l.node == "" || element.IsNull() {
		return element
	}
	return element.Get(l.node)
}

// Header returns the names of the columns: the response path of a value below its record, such as payer.name.
func (l *List) Header() []string { return l.columns.header("", nil) }

// FileName returns a name for a file with the given extension. It consists of letters, digits, underscores and the
// extension.
func (l *List) FileName(extension string) string {
	const limit = 64
	return l.Name[:min(len(l.Name), limit)] + "." + extension
}
