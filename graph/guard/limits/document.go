package limits

import (
	"github.com/99designs/gqlgen/graphql/errcode"
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
	errcode.Set(err, errcode.ParseFailed)
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
	s := survey{derived: l.config.DerivedFields}
	if err := s.document(document); err != nil {
		return err
	}
	for _, b := range []struct {
		limit           string
		counted, config int
	}{
		{LimitDefers, s.defers, l.config.Defers}, {LimitDepth, s.total.depth, l.config.Depth},
		{LimitFields, s.total.fields, l.config.Fields}, {LimitDerived, s.total.derived, l.config.Derived},
	} {
		if b.counted > b.config {
			return exceeded(b.limit, b.config)
		}
	}
	m := validationWork{limit: l.config.Validation, fragments: s.fragments}
	if !m.document(s.definitions) {
		return exceeded(LimitValidation, l.config.Validation)
	}
	r := introspectionCounter{schema: l.schema, fragments: s.fragments, left: l.config.Introspection}
	if !r.document(document) {
		return exceeded(LimitIntrospection, l.config.Introspection)
	}
	return nil
}
