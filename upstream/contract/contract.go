// Package contract reads docs/upstream-api.yaml, the contract of the two REST APIs, and derives what must not be
// written twice: the tables of docs/upstream-api.md, the client's records, filters and calls, what the gateway does
// with each kind of record, and the operations of the sandbox. The command generate writes them. No part of the binary
// imports the package.
//
// Its tests compare the client, the GraphQL schema and the sandbox with the document:
//
//   - document_test.go, format_test.go, generated_test.go: the document itself, and what is generated from it.
//   - responses_test.go, errors_test.go, bearer_test.go, filters_test.go: the document describes every response of the
//     sandbox.
//   - parameters_test.go: the sandbox and the client reject the same parameters as the document.
//   - requests_test.go: the document describes every request of the client.
//   - fields_test.go, page_test.go: a query reads exactly the properties of the document, and rejects the same
//     values.
//   - schema_test.go: the GraphQL schema has them all.
//
// They do not test what the document leaves open. The tests of sandbox and upstream do.
//
// Read first: contract.go, then document_test.go for the tests.
package contract

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// Document is the part of the OpenAPI document that is needed to generate from it.
type Document struct {
	Servers []Server
	Paths   Ordered[struct {
		Servers []Server
		Get     *Operation
	}]
	Components struct {
		Parameters Ordered[Parameter]
		Responses  Ordered[Response]
		Schemas    Ordered[Schema]
	}
}

// Server is the example address of one of the APIs, such as https://core.example.com.
type Server struct{ URL string }

// Operation is a GET of a path.
type Operation struct {
	ID         string `yaml:"operationId"`
	Summary    string
	Parameters []*Parameter
	Responses  Ordered[Response]
	Scopes     []string `yaml:"x-scopes"` // that the token needs
}

// Parameter is a parameter of an operation, or a reference to one.
type Parameter struct {
	Ref                   string `yaml:"$ref"`
	Name, In, Description string
	Selects               string `yaml:"x-selects"` // what the sandbox compares, with >= or <=; "" for the property with the name
	Schema                *Schema
}

// Response is a response of an operation, or a reference to one.
type Response struct {
	Ref         string `yaml:"$ref"`
	Description string
	Content     map[string]struct{ Schema *Schema }
}

// Schema is a schema, or a reference to one with another description.
type Schema struct {
	Ref                string `yaml:"$ref"`
	Type               types
	Title, Description string
	TypeName           string `yaml:"x-type"` // in Go and in the GraphQL schema, if it has another name there
	Enum               []string
	Settled            []string          `yaml:"x-settled"`  // values of Enum after which nothing is expected to happen
	Waiting            []string          `yaml:"x-waiting"`  // values of Enum that wait for people
	Meanings           map[string]string `yaml:"x-meanings"` // of the values of Enum
	MinLength          int               `yaml:"minLength"`
	MaxLength          int               `yaml:"maxLength"` // 0: none
	Minimum, Maximum   int
	Items              *Schema
	AnyOf              []*Schema `yaml:"anyOf"`
	Required           []string
	Properties         Ordered[Schema]
	Then               *Schema
	Examples           []string
	Volatile           bool   `yaml:"x-volatile"` // whether a property differs at every read although nothing happened
	Sum                string `yaml:"x-sum"`      // what summaries call an amount
}

// types is a type, or a list of them.
type types []string

func (s *types) UnmarshalYAML(node ast.Node) error {
	if list, ok := node.(*ast.SequenceNode); ok {
		return yaml.NodeToValue(list, (*[]string)(s))
	}
	*s = types{node.GetToken().Value}
	return nil
}

// Ordered is a mapping in the order of the document.
type Ordered[T any] []Entry[T]

// Entry is a member of a mapping.
type Entry[T any] struct {
	Name  string
	Value *T
}

// UnmarshalYAML implements yaml.NodeUnmarshaler.
func (o *Ordered[T]) UnmarshalYAML(node ast.Node) error {
	mapping, ok := node.(ast.MapNode)
	if !ok {
		return fmt.Errorf("line %d is not a mapping", node.GetToken().Position.Line)
	}
	for members := mapping.MapRange(); members.Next(); {
		entry := Entry[T]{members.Key().GetToken().Value, new(T)}
		if err := yaml.NodeToValue(members.Value(), entry.Value); err != nil {
			return err
		}
		*o = append(*o, entry)
	}
	return nil
}

// Get returns the member with a name, or nil.
func (o Ordered[T]) Get(name string) *T {
	for _, entry := range o {
		if entry.Name == name {
			return entry.Value
		}
	}
	return nil
}

// Open reads the document from a file.
func Open(path string) (*Document, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	d := &Document{}
	if err := yaml.Unmarshal(text, d); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return d, nil
}

// resolve returns the schema that s refers to and its name; s and "" if it is no reference.
func (d *Document) resolve(s *Schema) (name string, schema *Schema) {
	if s.Ref == "" {
		return "", s
	}
	name = strings.TrimPrefix(s.Ref, "#/components/schemas/")
	return name, d.Components.Schemas.Get(name)
}

// endpoint is an operation with what its path, its references and its responses say of it.
type endpoint struct {
	path       string
	name       string // in plural for a list: Deposits, Transaction
	service    string // core or dispatcher
	section    string // the number of its section in docs/upstream-api.md
	operation  *Operation
	parameters []*Parameter
	answer     string // the schema of the response
	record     string // the schema of the record, or of the records of a page
}

// endpoints returns the operations in their order.
func (d *Document) endpoints() []endpoint {
	var list []endpoint
	for _, path := range d.Paths {
		e := endpoint{path: path.Name, operation: path.Value.Get}
		e.name = strings.TrimPrefix(strings.TrimPrefix(e.operation.ID, "list"), "get")
		servers := append(slices.Clone(path.Value.Servers), d.Servers...)
		e.service, _, _ = strings.Cut(strings.TrimPrefix(servers[0].URL, "https://"), ".")
		e.section = sectionOf(e.operation.Summary)
		for _, p := range e.operation.Parameters {
			if p.Ref != "" {
				p = d.Components.Parameters.Get(strings.TrimPrefix(p.Ref, "#/components/parameters/"))
			}
			e.parameters = append(e.parameters, p)
		}
		name, schema := d.resolve(e.operation.Responses.Get("200").Content["application/json"].Schema)
		e.answer, e.record = name, name
		if data := schema.Properties.Get("data"); data != nil && data.Items != nil {
			e.record, _ = d.resolve(data.Items)
		}
		list = append(list, e)
	}
	return list
}

// sectionOf returns the number of the first section that a text cites.
func sectionOf(text string) string {
	_, number, _ := strings.Cut(text, "(spec ")
	number, _, _ = strings.Cut(number, ")")
	number, _, _ = strings.Cut(number, " ")
	return number
}
