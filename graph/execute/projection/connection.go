package projection

import (
	"slices"
	"strconv"
	"unsafe"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/execute/paging"
)

// part is one response key of an object of the gateway: a connection, an edge, or pageInfo.
type part struct {
	alias, name string
	typeName    string // the type of edges or pageInfo
	key         []byte
	node        *object // the plan of nodes, or of node in an edge
	parts       []part  // of edges or pageInfo
	position    *ast.Position
}

// reads reports whether a part reads data within a member of a record.
func (p part) reads() bool {
	return p.node != nil && !p.node.shallow() || slices.ContainsFunc(p.parts, part.reads)
}

// parts compiles a selection set on an object of the gateway. It returns false if the selection within it on a record
// leads to other records except by links.
func (c *compiler) parts(typeName string, selections ast.SelectionSet) ([]part, bool) {
	var parts []part
	for _, selected := range graphql.CollectFields(c.operation, selections, []string{typeName}) {
		p := part{
			alias: selected.Alias, name: selected.Name, key: []byte(`"` + selected.Alias + `":`), position: selected.Position,
		}
		ok := true
		switch selected.Name {
		case "nodes", "node":
			p.node = c.object(selected.Definition.Type.Name(), selected.Selections)
			ok = p.node != nil
		case "edges", "pageInfo":
			p.typeName = selected.Definition.Type.Name()
			p.parts, ok = c.parts(p.typeName, selected.Selections)
		}
		if !ok {
			return nil, false
		}
		parts = append(parts, p)
		c.bytes += cap(p.key)
	}
	c.bytes += cap(parts) * int(unsafe.Sizeof(part{}))
	return parts, true
}

// page writes a connection.
type page[T paging.Record] struct {
	*writer
	list *paging.Connection[T]
}

func (p page[T]) write(typeName string, parts []part) bool {
	return p.all(typeName, parts, func(f *part) bool {
		p.enter(f.alias)
		defer p.leave()
		switch f.name {
		case "nodes":
			p.elements(p.list.Len(), func(i int) { p.node(f.node, i, nil) })
			return true
		case "edges":
			p.elements(p.list.Len(), func(i int) { p.edge(f, i) })
			return true
		case "pageInfo":
			return p.pageInfo(f)
		case "totalCount":
			return p.count(f, p.list.TotalCount)
		case "totalPages":
			return p.count(f, p.list.TotalPages)
		case "currentPage":
			return p.count(f, p.list.CurrentPage)
		default:
			return p.count(f, p.list.PerPage)
		}
	})
}

// Upper bounds of output, in bytes: partBytes of a count, a cursor or a type name, elementBytes of a null with a comma.
const (
	partBytes    = 64
	elementBytes = 8
)

// all writes the fields of an object of the gateway. It returns false if a non-null field is null.
func (w *writer) all(typeName string, parts []part, write func(*part) bool) bool {
	start := w.mark()
	w.buf = append(w.buf, '{')
	for i := range parts {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		if !w.reserve(len(parts[i].key) + partBytes) {
			break
		}
		w.buf = append(w.buf, parts[i].key...)
		if parts[i].name == "__typename" {
			w.quoted(typeName)
			continue
		}
		if !write(&parts[i]) {
			w.undo(start)
			return false
		}
	}
	w.buf = append(w.buf, '}')
	return true
}

// node writes a record, or null and an error if the record is invalid.
func (p page[T]) node(o *object, i int, position *ast.Position) {
	raw, err := p.list.Raw(i)
	if err != nil {
		p.fail(err, position)
	}
	if err != nil || !p.object(o, raw) {
		p.null()
	}
}

// edge writes an edge, or null and an error if its cursor cannot be made.
func (p page[T]) edge(edges *part, i int) {
	if !p.all(edges.typeName, edges.parts, func(f *part) bool { return p.edgeField(f, i) }) {
		p.null()
	}
}

func (p page[T]) edgeField(f *part, i int) bool {
	p.enter(f.alias)
	defer p.leave()
	if f.name != "cursor" {
		p.node(f.node, i, f.position)
		return true
	}
	cursor, err := p.list.Cursor(i)
	if err != nil {
		p.fail(err, f.position)
		return false
	}
	p.quoted(cursor)
	return true
}

func (p page[T]) pageInfo(f *part) bool {
	info := p.list.PageInfo()
	return p.all(f.typeName, f.parts, func(f *part) bool {
		p.enter(f.alias)
		defer p.leave()
		switch f.name {
		case "hasNextPage":
			p.boolean(info.HasNextPage)
		case "hasPreviousPage":
			p.boolean(info.HasPreviousPage)
		case "startCursor":
			p.cursor(f, info.StartCursor)
		default:
			p.cursor(f, info.EndCursor)
		}
		return true
	})
}

// cursor writes a nullable cursor.
func (p page[T]) cursor(f *part, read func() (*string, error)) {
	cursor, err := read()
	switch {
	case err != nil:
		p.fail(err, f.position)
		p.null()
	case cursor == nil:
		p.null()
	default:
		p.quoted(*cursor)
	}
}

func (p page[T]) count(f *part, read func() (int32, error)) bool {
	n, err := read()
	if err != nil {
		p.fail(err, f.position)
		return false
	}
	p.buf = strconv.AppendInt(p.buf, int64(n), 10)
	return true
}
