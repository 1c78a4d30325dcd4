package persisted

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// set is the trusted documents of all files, all of them checked. It is immutable.
type set struct {
	byID   map[string]string   // text by id in the manifest
	byHash map[digest]string   // text by its SHA-256
	texts  map[string]struct{} // the texts themselves
}

// has reports whether a text equals that of a trusted document, byte for byte.
func (s *set) has(text string) bool {
	_, ok := s.texts[text]
	return ok
}

// trust checks every document and returns the set of them. Its error names the id of the first invalid document, or of
// one that has another text in another file.
func (m *manifest) trust(operations []Operation) (*set, error) {
	s := &set{
		byID:   make(map[string]string, len(operations)),
		byHash: make(map[digest]string, len(operations)),
		texts:  make(map[string]struct{}, len(operations)),
	}
	for _, o := range operations {
		if err := m.check(o); err != nil {
			return nil, fmt.Errorf("document %q: %w", o.ID, err)
		}
		if text, known := s.byID[o.ID]; known && text != o.Text {
			return nil, fmt.Errorf("document %q: has another text in another file", o.ID)
		}
		s.byID[o.ID] = o.Text
		s.byHash[sha256.Sum256([]byte(o.Text))] = o.Text
		s.texts[o.Text] = struct{}{}
	}
	return s, nil
}

// check parses and validates a document as the executor would, so that a trusted document also runs. A panic of the
// parser or of a rule becomes an error: here it would end the process and not just one request.
func (m *manifest) check(o Operation) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("cannot be validated")
		}
	}()
	document, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: o.Text}, m.config.MaxTokens)
	if err != nil {
		return err
	}
	var set *rules.Rules
	if m.config.Rules != nil {
		set = m.config.Rules()
	}
	if violations := validator.ValidateWithRules(m.config.Schema, document, set); len(violations) > 0 {
		return violations[0]
	}
	return o.Check(document)
}

// Check compares an operation of a manifest with the document that was parsed from its text.
func (o Operation) Check(document *ast.QueryDocument) error {
	if len(document.Operations) == 0 {
		return errors.New("has no operation")
	}
	if hex, isHash := strings.CutPrefix(o.ID, hashPrefix); isHash {
		if hash, ok := parseDigest(hex); !ok || hash != sha256.Sum256([]byte(o.Text)) {
			return errors.New("has an id that is not the hash of its text")
		}
	}
	if o.Name == "" {
		return nil
	}
	named := document.Operations.ForName(o.Name)
	if named == nil || named.Name != o.Name {
		return errors.New("has no operation of the name that the manifest gives")
	}
	if o.Kind != "" && o.Kind != string(named.Operation) {
		return errors.New("has an operation of another type than the manifest gives")
	}
	return nil
}
