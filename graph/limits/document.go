package limits

import (
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/lexer"
	"github.com/vektah/gqlparser/v2/parser"
)

// parse parses a document of bounded length. It returns nil, without an error, for what is no document: gqlgen parses it
// again and tells what is wrong.
func (l *Limits) parse(text string) (*ast.QueryDocument, error) {
	if len(text) > l.config.Bytes {
		return nil, exceeded(LimitBytes, l.config.Bytes)
	}
	source := &ast.Source{Input: text}
	document, err := parser.ParseQueryWithTokenLimit(source, l.config.Tokens)
	if err == nil {
		return document, nil
	}
	if moreTokens(source, l.config.Tokens) {
		return nil, exceeded(LimitTokens, l.config.Tokens)
	}
	return nil, nil //nolint:nilnil // no document and no fault of a limit
}

// moreTokens reports whether a text has more tokens than max. The parser has no error of its own for that.
func moreTokens(source *ast.Source, max int) bool {
	tokens := lexer.New(source)
	for range max {
		if token, err := tokens.ReadToken(); err != nil || token.Kind == lexer.EOF {
			return false
		}
	}
	token, err := tokens.ReadToken()
	return err == nil && token.Kind != lexer.EOF
}

// measure holds a document to every limit, from the cheapest on: what is measured later may take a time that the limits
// before it bound.
func (l *Limits) measure(document *ast.QueryDocument) error {
	w := written{config: l.config}
	if err := w.document(document); err != nil {
		return err
	}
	e := expansion{config: l.config, fragments: w.fragments, sizes: map[*definition]*size{}}
	if err := e.document(w.definitions); err != nil {
		return err
	}
	m := merge{config: l.config, fragments: w.fragments}
	if err := m.document(w.definitions); err != nil {
		return err
	}
	r := reading{schema: l.schema, fragments: w.fragments, left: l.config.Introspection}
	if !r.document(document) {
		return exceeded(LimitIntrospection, l.config.Introspection)
	}
	return nil
}

// definition is an operation or a fragment, as written.
type definition struct {
	operation bool
	set       ast.SelectionSet
	nodes     int                   // what a walk of it visits, fragments not followed
	spreads   []*ast.FragmentSpread // that are written in it
	inline    []ast.SelectionSet    // of the inline fragments that are written in it
}

// fragments are a document's fragments by name; of several of one name the first, as for gqlparser.
type fragments map[string]*definition

// written counts what a document has as it is written: one visit of each node.
type written struct {
	config      Config
	definitions []*definition
	fragments   fragments

	at         *definition
	variables  int
	directives int
	nesting    int
	deepest    int
}

func (w *written) document(document *ast.QueryDocument) error {
	if len(document.Operations)+len(document.Fragments) > w.config.Definitions {
		return exceeded(LimitDefinitions, w.config.Definitions)
	}
	w.fragments = make(fragments, len(document.Fragments))
	for _, operation := range document.Operations {
		w.define(true, operation.SelectionSet)
		w.variable(operation.VariableDefinitions)
		w.directive(operation.Directives)
		w.set(operation.SelectionSet)
	}
	for _, fragment := range document.Fragments {
		w.define(false, fragment.SelectionSet)
		if _, taken := w.fragments[fragment.Name]; !taken {
			w.fragments[fragment.Name] = w.at
		}
		w.variable(fragment.VariableDefinition)
		w.directive(fragment.Directives)
		w.set(fragment.SelectionSet)
	}
	switch {
	case w.variables > w.config.Variables:
		return exceeded(LimitVariables, w.config.Variables)
	case w.directives > w.config.Directives:
		return exceeded(LimitDirectives, w.config.Directives)
	case w.deepest > w.config.Nesting:
		return exceeded(LimitNesting, w.config.Nesting)
	}
	return nil
}

func (w *written) define(operation bool, set ast.SelectionSet) {
	w.at = &definition{operation: operation, set: set, nodes: 1}
	w.definitions = append(w.definitions, w.at)
}

// enter and leave stand around what is in braces or brackets.
func (w *written) enter() {
	w.nesting++
	w.deepest = max(w.deepest, w.nesting)
}

func (w *written) leave() { w.nesting-- }

func (w *written) variable(variables ast.VariableDefinitionList) {
	w.variables += len(variables)
	for _, variable := range variables {
		w.at.nodes++
		depth := 0
		for elem := variable.Type; elem != nil && elem.Elem != nil; elem = elem.Elem {
			depth++
		}
		w.deepest = max(w.deepest, depth)
		w.value(variable.DefaultValue)
		w.directive(variable.Directives)
	}
}

func (w *written) directive(directives ast.DirectiveList) {
	w.directives += len(directives)
	for _, directive := range directives {
		w.at.nodes++
		w.arguments(directive.Arguments)
	}
}

func (w *written) arguments(arguments ast.ArgumentList) {
	for _, argument := range arguments {
		w.value(argument.Value)
	}
}

func (w *written) value(value *ast.Value) {
	if value == nil {
		return
	}
	w.at.nodes++
	if value.Kind != ast.ListValue && value.Kind != ast.ObjectValue {
		return
	}
	w.enter()
	for _, child := range value.Children {
		w.value(child.Value)
	}
	w.leave()
}

func (w *written) set(set ast.SelectionSet) {
	if len(set) == 0 {
		return
	}
	w.enter()
	for _, selection := range set {
		w.at.nodes++
		switch selection := selection.(type) {
		case *ast.Field:
			w.arguments(selection.Arguments)
			w.directive(selection.Directives)
			w.set(selection.SelectionSet)
		case *ast.InlineFragment:
			w.at.inline = append(w.at.inline, selection.SelectionSet)
			w.directive(selection.Directives)
			w.set(selection.SelectionSet)
		case *ast.FragmentSpread:
			w.at.spreads = append(w.at.spreads, selection)
			w.directive(selection.Directives)
		}
	}
	w.leave()
}
