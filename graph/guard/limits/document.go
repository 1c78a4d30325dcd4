package limits

import (
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/lexer"
	"github.com/vektah/gqlparser/v2/parser"
)

// parse parses a document of bounded length.
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
	return nil, err
}

// moreTokens reports whether a text has more than max tokens. The parser does not have a distinct error for that.
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

// Measure parses a document and checks it against every limit on documents.
func (l *Limits) Measure(text string) (*ast.QueryDocument, error) {
	document, err := l.parse(text)
	if err != nil {
		return nil, err
	}
	return document, l.measure(document)
}

// measure checks a document against every limit, the cheapest first: each check bounds the time of the checks after it.
func (l *Limits) measure(document *ast.QueryDocument) error {
	w := syntaxCounter{config: l.config}
	if err := w.document(document); err != nil {
		return err
	}
	e := expansion{config: l.config, fragments: w.fragments, sizes: map[*definition]*size{}}
	if err := e.document(w.definitions); err != nil {
		return err
	}
	m := validationWork{config: l.config, fragments: w.fragments}
	if err := m.document(w.definitions); err != nil {
		return err
	}
	r := introspectionCounter{schema: l.schema, fragments: w.fragments, left: l.config.Introspection}
	if !r.document(document) {
		return exceeded(LimitIntrospection, l.config.Introspection)
	}
	return nil
}

// definition is an operation or a fragment, with its fragment spreads not expanded.
type definition struct {
	operation bool
	set       ast.SelectionSet
	nodes     int                   // nodes in it, without those of the fragments that it spreads
	spreads   []*ast.FragmentSpread // the spreads in it
	inline    []ast.SelectionSet    // the selection sets of the inline fragments in it
}

// fragments are a document's fragments by name. Of several with the same name it has the first, as gqlparser does.
type fragments map[string]*definition

// syntaxCounter counts the elements of a document without expanding fragments, in one visit of each node.
type syntaxCounter struct {
	config      Config
	definitions []*definition
	fragments   fragments

	current    *definition
	variables  int
	directives int
	defers     int
	nesting    int
	deepest    int
}

func (w *syntaxCounter) document(document *ast.QueryDocument) error {
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
			w.fragments[fragment.Name] = w.current
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
	case w.defers > w.config.Defers:
		return exceeded(LimitDefers, w.config.Defers)
	case w.deepest > w.config.Nesting:
		return exceeded(LimitNesting, w.config.Nesting)
	}
	return nil
}

func (w *syntaxCounter) define(operation bool, set ast.SelectionSet) {
	w.current = &definition{operation: operation, set: set, nodes: 1}
	w.definitions = append(w.definitions, w.current)
}

// enter and leave enclose the visit of everything between two braces or brackets.
func (w *syntaxCounter) enter() {
	w.nesting++
	w.deepest = max(w.deepest, w.nesting)
}

func (w *syntaxCounter) leave() { w.nesting-- }

func (w *syntaxCounter) variable(variables ast.VariableDefinitionList) {
	w.variables += len(variables)
	for _, variable := range variables {
		w.current.nodes++
		depth := 0
		for elem := variable.Type; elem != nil && elem.Elem != nil; elem = elem.Elem {
			depth++
		}
		w.deepest = max(w.deepest, depth)
		w.value(variable.DefaultValue)
		w.directive(variable.Directives)
	}
}

func (w *syntaxCounter) directive(directives ast.DirectiveList) {
	w.directives += len(directives)
	for _, directive := range directives {
		if w.current.nodes++; directive.Name == "defer" {
			w.defers++
		}
		w.arguments(directive.Arguments)
	}
}

func (w *syntaxCounter) arguments(arguments ast.ArgumentList) {
	for _, argument := range arguments {
		w.value(argument.Value)
	}
}

func (w *syntaxCounter) value(value *ast.Value) {
	if value == nil {
		return
	}
	w.current.nodes++
	if value.Kind != ast.ListValue && value.Kind != ast.ObjectValue {
		return
	}
	w.enter()
	for _, child := range value.Children {
		w.value(child.Value)
	}
	w.leave()
}

func (w *syntaxCounter) set(set ast.SelectionSet) {
	if len(set) == 0 {
		return
	}
	w.enter()
	for _, selection := range set {
		w.current.nodes++
		switch selection := selection.(type) {
		case *ast.Field:
			w.arguments(selection.Arguments)
			w.directive(selection.Directives)
			w.set(selection.SelectionSet)
		case *ast.InlineFragment:
			w.current.inline = append(w.current.inline, selection.SelectionSet)
			w.directive(selection.Directives)
			w.set(selection.SelectionSet)
		case *ast.FragmentSpread:
			w.current.spreads = append(w.current.spreads, selection)
			w.directive(selection.Directives)
		}
	}
	w.leave()
}
