package documents

import (
	"unsafe"

	"github.com/vektah/gqlparser/v2/ast"
)

// The memory of the parts of a document, including the position that each node has and the pointers to it.
const (
	positionBytes   = int(unsafe.Sizeof(ast.Position{})) + 48 // includes a share of the spare capacity of slices
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

	// documentOverhead is a document's entry, its map entries and list element, and the slices of the document itself.
	documentOverhead = 1<<10 + 16*callerGroups
	// planOverhead is the map entry of a plan.
	planOverhead = 128
)

// preparer walks a document once, when it is added.
type preparer struct {
	bytes  int
	defers bool // whether the document has deferred fragments
}

// prepare returns the size of a document in bytes, and makes the document safe to share between its operations.
// Validation stores in each use of a variable a pointer to the variable's definition. The operations of a document
// share its fragments, so a use in a fragment points to the definition of the operation that was validated last. The
// default in that definition would become the value of a variable that another operation omits. So prepare clears the
// pointers. They are not needed: the variables of an operation include the defaults already.
//
// It also gives @defer its name in a cache.
func prepare(text string, document *ast.QueryDocument) (bytes int) {
	p := preparer{bytes: documentOverhead + 2*len(text)} // values may hold a copy of their text
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
	if p.defers {
		markDeferred(document)
	}
	return p.bytes
}

// Size returns the size in bytes of a document that was added to a cache, whether it is still cached or not.
func Size(text string, document *ast.QueryDocument) int { return prepare(text, document) }

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
		switch directive.Name {
		case Defer:
			directive.Name = Deferred
			p.defers = true
		case Deferred: // the document may be shared already
			p.defers = true
		}
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
	if value.VariableDefinition != nil { // else the document may be shared already
		value.VariableDefinition = nil
	}
	for _, child := range value.Children {
		p.bytes += childValueBytes
		p.value(child.Value)
	}
}
