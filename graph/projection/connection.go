package projection

import (
	"strconv"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/paging"
	"pixgraph/upstream"
)

// part is one response key of an object of ours: a connection, an edge, or pageInfo.
type part struct {
	alias, name string
	key         []byte
	node        *object // of nodes and of an edge's node
	parts       []part  // of edges and of pageInfo
	position    *ast.Position
}

// connection compiles a root field that is a list.
func connection[T paging.Record](c compiler, root graphql.CollectedField) answerer {
	typeName := root.Definition.Type.Name()
	parts, ok := c.parts(typeName, root.Selections)
	if !ok {
		return nil
	}
	return func(w *writer, at *place, found any) bool {
		list := page[T]{w, found.(*paging.Connection[T])}
		return list.write(typeName, parts, at)
	}
}

// parts compiles a selection set on an object of ours; false when a node's leads to another resource.
func (c compiler) parts(typeName string, selections ast.SelectionSet) ([]part, bool) {
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
			p.parts, ok = c.parts(selected.Definition.Type.Name(), selected.Selections)
		}
		if !ok {
			return nil, false
		}
		parts = append(parts, p)
	}
	return parts, true
}

// page writes a connection.
type page[T paging.Record] struct {
	*writer
	list *paging.Connection[T]
}

func (p page[T]) write(typeName string, parts []part, at *place) bool {
	return p.all(typeName, parts, func(f *part) bool {
		switch f.name {
		case "nodes":
			p.nodes(f, at.field(f.alias))
			return true
		case "edges":
			p.edges(typeName[:len(typeName)-len("Connection")]+"Edge", f, at.field(f.alias))
			return true
		case "pageInfo":
			return p.pageInfo(f, at.field(f.alias))
		case "totalCount":
			return p.count(f, at, p.list.TotalCount)
		case "totalPages":
			return p.count(f, at, p.list.TotalPages)
		case "currentPage":
			return p.count(f, at, p.list.CurrentPage)
		default:
			return p.count(f, at, p.list.PerPage)
		}
	})
}

// all writes the fields of an object of ours; false when one of them is null and must not be.
func (w *writer) all(typeName string, parts []part, write func(*part) bool) bool {
	start := w.mark()
	w.buf = append(w.buf, '{')
	for i := range parts {
		if i > 0 {
			w.buf = append(w.buf, ',')
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

func (p page[T]) nodes(f *part, at *place) {
	p.buf = append(p.buf, '[')
	for i := range p.list.Len() {
		if i > 0 {
			p.buf = append(p.buf, ',')
		}
		here := &place{parent: at, index: i}
		raw, err := p.list.Raw(i)
		if err != nil {
			p.fail(here, err, nil)
		}
		p.node(f.node, raw, err, here)
	}
	p.buf = append(p.buf, ']')
}

func (p page[T]) node(o *object, raw upstream.Raw, err error, at *place) {
	if err != nil || !p.object(o, raw, at) {
		p.null()
	}
}

func (p page[T]) edges(typeName string, f *part, at *place) {
	p.buf = append(p.buf, '[')
	for i := range p.list.Len() {
		if i > 0 {
			p.buf = append(p.buf, ',')
		}
		here := &place{parent: at, index: i}
		if !p.all(typeName, f.parts, func(f *part) bool { return p.edge(f, i, here) }) {
			p.null()
		}
	}
	p.buf = append(p.buf, ']')
}

func (p page[T]) edge(f *part, i int, at *place) bool {
	if f.name == "cursor" {
		cursor, err := p.list.Cursor(i)
		if err != nil {
			p.fail(at.field(f.alias), err, f.position)
			return false
		}
		p.quoted(cursor)
		return true
	}
	here := at.field(f.alias)
	raw, err := p.list.Raw(i)
	if err != nil {
		p.fail(here, err, f.position)
	}
	p.node(f.node, raw, err, here)
	return true
}

func (p page[T]) pageInfo(f *part, at *place) bool {
	info := p.list.PageInfo()
	return p.all("PageInfo", f.parts, func(f *part) bool {
		switch f.name {
		case "hasNextPage":
			p.boolean(info.HasNextPage)
		case "hasPreviousPage":
			p.boolean(info.HasPreviousPage)
		case "startCursor":
			p.cursor(f, at, info.StartCursor)
		default:
			p.cursor(f, at, info.EndCursor)
		}
		return true
	})
}

// cursor writes a cursor that there may be.
func (p page[T]) cursor(f *part, at *place, read func() (*string, error)) {
	cursor, err := read()
	switch {
	case err != nil:
		p.fail(at.field(f.alias), err, f.position)
		p.null()
	case cursor == nil:
		p.null()
	default:
		p.quoted(*cursor)
	}
}

func (p page[T]) count(f *part, at *place, read func() (int32, error)) bool {
	n, err := read()
	if err != nil {
		p.fail(at.field(f.alias), err, f.position)
		return false
	}
	p.buf = strconv.AppendInt(p.buf, int64(n), 10)
	return true
}
