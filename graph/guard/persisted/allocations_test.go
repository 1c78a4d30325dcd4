package persisted_test

import (
	"encoding/json"
	"testing"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/graph/guard/persisted"
	"pixgraph/request"
)

// TestKnownDocumentAllocatesNothing: a stored document is not hashed, copied or wrapped.
func TestKnownDocumentAllocatesNothing(t *testing.T) {
	hash := hashOf(findDocument)
	automatic, trusted := open(t, persisted.Config{}), openTrusted(t, persisted.OnlyOn)
	automatic.register(t, findDocument)
	named := map[string]any{"persistedQuery": map[string]any{"version": json.Number("1"), "sha256Hash": hash}}
	for _, tt := range []struct {
		name      string
		documents documents
		params    graphql.RawParams
	}{
		{"hash", automatic, graphql.RawParams{Extensions: named}},
		{"hash and text", automatic, graphql.RawParams{Query: findDocument, Extensions: named}},
		{"trusted id", trusted, graphql.RawParams{Extensions: map[string]any{"documentId": "find"}}},
		{"trusted text", trusted, graphql.RawParams{Query: findDocument}},
	} {
		var params graphql.RawParams
		call := &request.Call{}
		allocations := testing.AllocsPerRun(100, func() {
			params = tt.params
			if err := tt.documents.Resolve(call, &params); err != nil || params.Query != findDocument {
				t.Fatal(tt.name, err, params.Query)
			}
		})
		if allocations != 0 {
			t.Errorf("%s: %v allocations", tt.name, allocations)
		}
	}
}

// documents are called without a server.
type documents struct{ *persisted.Documents }

func open(t testing.TB, config persisted.Config) documents {
	t.Helper()
	config.Schema, config.MaxTokens, config.Log = newEcho().schema, maxTokens, quiet()
	d, err := persisted.New(config)
	must(t, err)
	t.Cleanup(d.Close)
	return documents{d}
}

// openTrusted opens documents whose manifest has the id find.
func openTrusted(t testing.TB, only persisted.Only) documents {
	return open(t, persisted.Config{Manifests: []string{write(t, encode(relay{"find": findDocument}))}, Only: only})
}

// register registers a document as package serve does after validation.
func (d documents) register(t testing.TB, document string) {
	t.Helper()
	params := graphql.RawParams{Query: document, Extensions: map[string]any{
		"persistedQuery": map[string]any{"version": json.Number("1"), "sha256Hash": hashOf(document)},
	}}
	call := &request.Call{}
	must(t, d.Resolve(call, &params))
	d.Register(call)
}
