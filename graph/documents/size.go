package documents

import (
	"unsafe"

	"github.com/vektah/gqlparser/v2/ast"
)

// What the parts of a document take in memory, with the position that each node has and the pointers to it.
const (
	positionBytes   = int(unsafe.Sizeof(ast.Position{})) + 48 // with its share of lists that have grown
	operationBytes  = int(unsafe.Sizeof(ast.OperationDefinition{})) + positionBytes
	fragmentBytes   = int(unsafe.Sizeof(ast.FragmentDefinition{})) + positionBytes
	variableBytes   = int(unsafe.Sizeof(ast.VariableDefinition{})) + 2*positionBytes + int(unsafe.Sizeof(ast.Type{}))
	fieldBytes      = int(unsafe.Sizeof(ast.Field{})) + positionBytes
	spreadBytes     = int(unsafe.Sizeof(ast.FragmentSpread{})) + positionBytes
	inlineBytes     = int(unsafe.Sizeof(ast.InlineFragment{})) + positionBytes
	directiveBytes  = int(unsafe.Sizeof(ast.Directive{})) + positionBytes
	argumentBytes   = int(unsafe.Sizeof(ast.Argument{})) + positionBytes
	valueBytes      = int(unsafe.Sizeof(ast.Value{})) + positionBytes
	childValueBytes = int(unsafe.Sizeof(ast.ChildValue{})) + positionBytes

	// documentOverhead is the entry of a document, its places in the maps and in the list, and the document's own lists.
	documentOverhead = 1 << 10
	// planOverhead is the place of a plan in its map.
	planOverhead = 128
)

// preparer walks a document once when it is added.
type preparer struct{ bytes int }

// prepare returns what a document takes in bytes, and makes it fit for all of its operations: validation notes, in each use
// of a variable, which definition it is of. A fragment is shared by the operations of its document, so that this is the
// definition of whichever operation was validated last, and its default would become the value of a variable that another
// operation leaves out. Defaults are in the variables of an operation already, so the note is removed.
func prepare(text string, document *ast.QueryDocument) (bytes int) {
	p := preparer{documentOverhead + 2*len(text)} // values may have a copy of their text
	for _, operation := range document.Operations {
		p.bytes += operationBytes
		for _, variable := range operation.VariableDefinitions {
			p.bytes += variableBytes
			p.value(variable.DefaultValue)
			p.directives(variable.Directives)
		}
		p.directives(operation.Directives)
		p.selections(operation.SelectionSet)
	}
	for _, fragment := range document.Fragments {
		p.bytes += fragmentBytes
		p.directives(fragment.Directives)
		p.selections(fragment.SelectionSet)
	}
	return p.bytes
}

func (p *preparer) selections(set ast.SelectionSet) {
	for _, selection := range set {
		switch selection := selection.(type) {
		case *ast.Field:
			p.bytes += fieldBytes
			p.arguments(selection.Arguments)
			p.directives(selection.Directives)
			p.selections(selection.SelectionSet)
		case *ast.InlineFragment:
			p.bytes += inlineBytes
			p.directives(selection.Directives)
			p.selections(selection.SelectionSet)
		case *ast.FragmentSpread:
			p.bytes += spreadBytes
			p.directives(selection.Directives)
		}
	}
}

func (p *preparer) directives(directives ast.DirectiveList) {
	for _, directive := range directives {
		p.bytes += directiveBytes
		p.arguments(directive.Arguments)
	}
}

func (p *preparer) arguments(arguments ast.ArgumentList) {
	for _, argument := range arguments {
		p.bytes += argumentBytes
		p.value(argument.Value)
	}
}

func (p *preparer) value(value *ast.Value) {
	if value == nil {
		return
	}
	p.bytes += valueBytes
	value.VariableDefinition = nil
	for _, child := range value.Children {
		p.bytes += childValueBytes
		p.value(child.Value)
	}
}
