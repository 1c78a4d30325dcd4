package download

import (
	"github.com/99designs/gqlgen/graphql"
	"github.com/go-faster/jx"

	"pixgraph/graph/execute/projection"
	"pixgraph/upstream/wire"
)

// Summary is the summary that an operation downloads. Its file has a row for each group, or one row if the operation
// selects no groups.
type Summary struct {
	Table
	groups string // the response key of groups; "" without them
}

func (c compiler) summary(root graphql.CollectedField) (*Summary, error) {
	s := &Summary{Table: c.table(root)}
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
