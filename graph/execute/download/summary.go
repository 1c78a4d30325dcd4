package download

import (
	"fmt"

	"github.com/99designs/gqlgen/graphql"
	"github.com/go-faster/jx"
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/execute/calls"
	"pixgraph/graph/execute/projection"
	"pixgraph/upstream/wire"
)

// Summary is the summary that an operation downloads. Its file has a row for each group, or one row if the operation
// selects no groups.
type Summary struct {
	Table
	groups  string // the response key of groups; "" without them
	Limited bool   // whether the operation says how many pages are read at most
}

func (c compiler) summary(root graphql.CollectedField, field *calls.Field) (*Summary, error) {
	s := &Summary{Table: c.table(root)}
	if most := root.Arguments.ForName(field.PagesArgument); most != nil {
		_, given := c.operation.Variables[most.Value.Raw]
		s.Limited = most.Value.Kind != ast.Variable || given
	}
	rows := root
	switch groups := selected(c.operation, root, "groups"); len(groups) {
	case 0:
	case 1:
		rows, s.groups = groups[0], groups[0].Alias
	default:
		return nil, notDownloadable("the summary must select its groups once")
	}
	s.columns = c.object(rows)
	return s, nil
}

// Query returns the operation as a query whose response has nothing but data and errors.
func (s *Summary) Query() *graphql.OperationContext {
	query := projection.With(s.operation, s.operation.Operation)
	query.Extensions, query.Headers = nil, nil
	return query
}

// In reports whether the data of the response has the summary.
func (s *Summary) In(data wire.Value) bool {
	summary := data.Get(s.key)
	return summary.Exists() && !summary.IsNull()
}

// Totals returns what the data has of the summary besides its groups, as JSON; nil without groups, since it is the row
// then.
func (s *Summary) Totals(data wire.Value) []byte {
	members, err := data.Get(s.key).Members()
	if s.groups == "" || err != nil {
		return nil
	}
	var totals []byte
	for members.Next() {
		if name := string(members.Name()); name != s.groups {
			totals = fmt.Appendf(totals, `,%q:%s`, name, members.Value().Bytes())
		}
	}
	if totals == nil {
		return nil
	}
	totals[0] = '{'
	return append(totals, '}')
}

// Rows calls row for each row in the data of the response, until it fails. A summary may have more groups than package
// wire accepts of a list of an API, so each is indexed by itself. The error is that of row, or one of the gateway.
func (s *Summary) Rows(data wire.Value, row func(wire.Value) error) error {
	summary := data.Get(s.key)
	if s.groups == "" {
		return row(summary)
	}
	return jx.DecodeBytes(summary.Get(s.groups).Bytes()).Arr(func(groups *jx.Decoder) error {
		text, err := groups.Raw()
		if err != nil {
			return err
		}
		group, err := wire.Index(text)
		if err != nil {
			return err
		}
		defer group.Release()
		return row(group)
	})
}
