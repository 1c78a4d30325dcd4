package download

import (
	"cmp"

	"github.com/99designs/gqlgen/graphql"
)

// Table is what a file says about its rows: their columns, and a name.
type Table struct {
	Name string // of the operation, or the response key of the list or the summary; letters, digits and underscores

	operation *graphql.OperationContext
	key       string // the response key of the list or the summary
	columns   object
}

func (c compiler) table(root graphql.CollectedField) Table {
	return Table{Name: cmp.Or(c.operation.Operation.Name, root.Alias), operation: c.operation, key: root.Alias}
}

// Header returns the names of the columns: the response path of a value below its record, such as payer.name.
func (t *Table) Header() []string { return t.columns.header("", nil) }

// FileName returns a name for a file with the given extension. It consists of letters, digits, underscores and the
// extension.
func (t *Table) FileName(extension string) string {
	const limit = 64
	return t.Name[:min(len(t.Name), limit)] + "." + extension
}
