package documents

import (
	"github.com/vektah/gqlparser/v2/ast"

	"pixgraph/graph/syntax"
)

const (
	// nodeBytes is the memory of a part of a document or a plan: its struct, its position, the pointer to it, and a
	// share of the spare capacity of slices. It is that of a field in both, which most parts are.
	nodeBytes = 256
	// documentOverhead is a document's entry, its map entries and list element, and the slices of the document itself.
	documentOverhead = 1<<10 + 16*callerGroups
	// planOverhead is the map entry of a plan.
	planOverhead = 128
)

// Size is the memory of a document or a plan in bytes, by the number of its parts.
type Size int

// Parts is the size of a number of parts.
func Parts(n int) Size { return Size(n * nodeBytes) }

// Add adds a part with a text of its own, such as the key of a field; "" for none.
func (s *Size) Add(text string) { *s += Parts(1) + Size(len(text)) }

// preparer walks a document once, when it is added.
type preparer struct {
	Size
	defers bool // whether the document has deferred fragments
}

// prepare returns the size of a document in bytes, and makes the document safe to share between its operations.
// Validation stores in each use of a variable a pointer to the variable's definition. The operations of a document
// share its fragments, so a use in a fragment points to the definition of the operation that was validated last. The
// default in that definition would become the value of a variable that another operation omits. So prepare clears the
// pointers. They are not needed: the variables of an operation include the defaults already.
//
// It also gives @defer its name in a cache.
func prepare(text string, document *ast.QueryDocument) Size {
	p := preparer{Size: Size(documentOverhead + 2*len(text))} // values may hold a copy of their text
	for _, operation := range document.Operations {
		p.Add("")
		for _, variable := range operation.VariableDefinitions {
			p.Size += Parts(2) // with its type
			p.value(variable.DefaultValue)
			p.directives(variable.Directives)
		}
		p.directives(operation.Directives)
		p.selections(operation.SelectionSet)
	}
	for _, fragment := range document.Fragments {
		p.Add("")
		p.directives(fragment.Directives)
		p.selections(fragment.SelectionSet)
	}
	if p.defers {
		markDeferred(document)
	}
	return p.Size
}

// SizeOf returns the size in bytes of a document that was added to a cache, whether it is still cached or not.
func SizeOf(text string, document *ast.QueryDocument) Size { return prepare(text, document) }

func (p *preparer) selections(set ast.SelectionSet) {
	syntax.All(set, func(selection ast.Selection, directives ast.DirectiveList) {
		p.Add("")
		if field, ok := selection.(*ast.Field); ok {
			p.arguments(field.Arguments)
		}
		p.directives(directives)
	})
}

func (p *preparer) directives(directives ast.DirectiveList) {
	for _, directive := range directives {
		p.Add("")
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
		p.Add("")
		p.value(argument.Value)
	}
}

func (p *preparer) value(value *ast.Value) {
	if value == nil {
		return
	}
	p.Add("")
	if value.VariableDefinition != nil { // else the document may be shared already
		value.VariableDefinition = nil
	}
	for _, child := range value.Children {
		p.Add("")
		p.value(child.Value)
	}
}
