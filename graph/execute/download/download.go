// Package download turns the pages of a list into a file, CSV or lines of JSON, with a record in each row; or a
// summary, with a group in each row. It has the rules for which operations can be downloaded, the query of each page,
// the columns, and both formats. It reads no page and does no HTTP: packages serve and transport do.
//
// Read New first, which finds the list or the summary in an operation.
package download

import (
	"maps"
	"net/http"
	"slices"

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
	Table
	nodes    string // the response key of nodes, or of edges
	node     string // the response key of node in an edge; "" without edges
	declared calls.Fields
	given    map[string]any // the arguments
	Cursors  bool           // whether its pages are selected by cursors: with first or after
	First    int            // the most records of the file; 0 for all
	Size     any            // of the pages: perPage or first; nil if absent
}

// Start is where a page begins: the zero value where the operation says.
type Start struct {
	Page  int64
	After string // a cursor, for a list with Cursors
}

func notDownloadable(message string) error {
	return &apierror.Error{Status: http.StatusNotAcceptable, Code: apierror.BadRequest, Message: "no download: " + message}
}

// New finds the list or the summary in an operation that is valid; one of them is not nil. Summaries next to a list are
// ignored. Its errors say why the operation cannot be downloaded.
func New(schema *ast.Schema, declared calls.Fields, operation *graphql.OperationContext) (*List, *Summary, error) {
	var lists, sums []graphql.CollectedField
	roots := graphql.CollectFields(operation, operation.Operation.SelectionSet, []string{schema.Query.Name})
	for _, root := range roots {
		switch field := declared[root.Definition]; {
		case field == nil:
		case field.Form == calls.Connection:
			lists = append(lists, root)
		case field.PagesArgument != "":
			sums = append(sums, root)
		}
	}
	c := compiler{schema, operation}
	switch {
	case len(lists) == 1 && len(lists)+len(sums) == len(roots):
		list, err := c.list(lists[0], declared)
		return list, nil, err
	case len(sums) == 1 && len(roots) == 1:
		sums, err := c.summary(sums[0], declared[sums[0].Definition])
		return nil, sums, err
	default:
		return nil, nil, notDownloadable("the operation must select one list with pages, such as deposits, or one summary, " +
			"such as depositSummary; summaries next to a list are ignored")
	}
}

func (c compiler) list(root graphql.CollectedField, declared calls.Fields) (*List, error) {
	operation := c.operation
	l := &List{Table: c.table(root), declared: declared, given: root.ArgumentMap(operation.Variables)}
	l.Cursors = l.given[argumentFirst] != nil || l.given[argumentAfter] != nil
	if first, err := graphql.UnmarshalInt32(l.given[argumentFirst]); err == nil {
		l.First = int(first) // the query of the first page refuses what is out of bounds
	}
	l.Size = l.given[l.sizedBy()]
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
// differs from the operation in the values of the arguments of a page, and has no summaries. It is kept with the
// document, so that it is planned once.
func (l *List) Query(cache *documents.Cache, at Start, size any) *graphql.OperationContext {
	original := l.operation.Operation
	key := documents.PlanKey{Operation: original, Conditions: "download"}
	paged, ok := cache.Plan(l.operation.Doc, key)
	if !ok {
		r := rewriter{declared: l.declared}
		other := *original
		other.SelectionSet = r.set(original.SelectionSet, false)
		paged = &other
		cache.Keep(l.operation.Doc, key, paged, r.size)
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

// rewriter copies the selections at the root of an operation without summaries, and replaces the arguments of lists. Of
// a list it keeps the records: another field, such as a count that the API lacks, could make the page null. Conditions
// stay, so the copy does not depend on variables.
type rewriter struct {
	declared calls.Fields
	size     documents.Size // of the copy
}

func (r *rewriter) set(set ast.SelectionSet, inList bool) (copied ast.SelectionSet) {
	for _, selection := range set {
		switch selection := selection.(type) {
		case *ast.Field:
			declared := r.declared[selection.Definition]
			if declared != nil && declared.PagesArgument != "" || inList && selection.Name != "nodes" && selection.Name != "edges" {
				continue
			}
			field := *selection
			if declared != nil && declared.Form == calls.Connection {
				field.Arguments, field.SelectionSet = r.arguments(selection), r.set(selection.SelectionSet, true)
			}
			copied = append(copied, &field)
			r.size.Add("")
		case *ast.InlineFragment:
			fragment := *selection
			fragment.SelectionSet = r.set(selection.SelectionSet, inList)
			copied = append(copied, &fragment)
			r.size.Add("")
		case *ast.FragmentSpread:
			fragment := &ast.InlineFragment{
				TypeCondition: selection.Definition.TypeCondition, Directives: selection.Directives,
				SelectionSet: r.set(selection.Definition.SelectionSet, inList), ObjectDefinition: selection.ObjectDefinition, Position: selection.Position,
			}
			copied = append(copied, fragment)
			r.size.Add("")
		}
	}
	return copied
}

func (r *rewriter) arguments(field *ast.Field) ast.ArgumentList {
	var list ast.ArgumentList
	for _, argument := range field.Arguments {
		if !slices.Contains(arguments(), argument.Name) {
			list = append(list, argument)
		}
	}
	for _, name := range arguments() {
		value := &ast.Value{Kind: ast.Variable, Raw: variableOf(name), Position: field.Position}
		list = append(list, &ast.Argument{Name: name, Value: value, Position: field.Position})
		r.size += documents.Parts(2) // with its value
	}
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
