// Package model has the objects of the schema that the gateway makes itself and that no other package has: each is a
// projection.Object. It makes no calls.
package model

// Service is the subgraph of a federated schema.
type Service struct {
	SDL string // the text of the schema
}

// Field implements projection.Object.
func (s Service) Field(string) (any, error) { return s.SDL, nil }
