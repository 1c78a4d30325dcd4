package persisted_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/apierror"
	"pixgraph/graph/guard/persisted"
)

const (
	nameDocument = "query Name { name }"
	findDocument = "query Find($id: ID!) { find(id: $id) }"
)

func TestAutomaticProtocol(t *testing.T) {
	s := serve(t, persisted.Config{})
	hash := hashOf(findDocument)

	want := reply{status: http.StatusOK, code: "PERSISTED_QUERY_NOT_FOUND", message: "PersistedQueryNotFound"}
	for _, accept := range []string{"application/json", "application/graphql-response+json"} {
		req := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(hashed(hash, "")))
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", accept)
		if got := s.send(req); !equal(got, want) {
			t.Errorf("hash of an unknown document, %s: %+v", accept, got)
		}
	}
	first := s.post(strings.Replace(hashed(hash, findDocument), "{", `{"variables":{"id":"a"},`, 1))
	if first.ran != findDocument || first.variables["id"] != "a" {
		t.Errorf("hash and document: %+v", first)
	}
	second := s.get(url.Values{
		"extensions":    {`{"persistedQuery":{"version":1,"sha256Hash":"` + hash + `"}}`},
		"variables":     {`{"id":"b"}`},
		"operationName": {"Find"},
	})
	if second.ran != findDocument || second.variables["id"] != "b" {
		t.Errorf("hash by GET, with other variables: %+v", second)
	}
	third := s.get(url.Values{"documentId": {"sha256:" + hash}, "variables": {`{"id":"c"}`}})
	if third.ran != findDocument || third.variables["id"] != "c" {
		t.Errorf("documentId of a registered document: %+v", third)
	}
	if fourth := s.post(strings.Replace(hashed(hash, findDocument), "{", `{"variables":{"id":"d"},`, 1)); fourth.ran != findDocument {
		t.Errorf("hash and document of a registered document: %+v", fourth)
	}
}

func equal(a, b reply) bool {
	return a.status == b.status && a.ran == b.ran && a.code == b.code && a.message == b.message
}

func TestAutomaticRejects(t *testing.T) {
	const (
		mismatch  = "extensions.persistedQuery.sha256Hash does not match query"
		badHash   = "extensions.persistedQuery.sha256Hash must be a SHA-256 in lower-case hex, or the id of a trusted document"
		version   = "extensions.persistedQuery.version must be 1"
		noObject  = "extensions.persistedQuery must be an object"
		badID     = "documentId must be a document identifier of at most 256 bytes"
		ambiguous = "documentId cannot be combined with query or extensions.persistedQuery"
	)
	hash := hashOf(nameDocument)
	extension := func(value string) string { return `{"query":"{ name }","extensions":{"persistedQuery":` + value + `}}` }
	id := func(value string) string { return encode(map[string]any{"documentId": value}) }

	tests := []struct {
		name, body, message string
	}{
		{"hash of an unknown document", hashed(strings.Repeat("0", 64), nameDocument), mismatch},
		{"hash of another document, which is registered", hashed(hash, "{ name }"), mismatch},
		{"document with an additional space", hashed(hash, nameDocument+" "), mismatch},
		{"hash in upper case", hashed(strings.ToUpper(hash), nameDocument), badHash},
		{"hash without its first digit", hashed(hash[1:], nameDocument), badHash},
		{"hash with an additional digit", hashed(hash+"0", nameDocument), badHash},
		{"hash with a letter above f", hashed("g"+hash[1:], ""), badHash},
		{"hash with a prefix", hashed("sha256:"+hash, nameDocument), badHash},
		{"hash that ends within a character", hashed(hash[:63]+"\u00e9", nameDocument), badHash},
		{"huge hash", hashed(strings.Repeat("0", 1<<19), nameDocument), badHash},
		{"empty hash", hashed("", nameDocument), badHash},
		{"no hash", extension(`{"version":1}`), badHash},
		{"hash null", extension(`{"version":1,"sha256Hash":null}`), badHash},
		{"hash a number", extension(`{"version":1,"sha256Hash":7}`), badHash},
		{"hash a list", extension(`{"version":1,"sha256Hash":["` + hash + `"]}`), badHash},
		{"no version", extension(`{"sha256Hash":"` + hash + `"}`), version},
		{"version 2", extension(`{"version":2,"sha256Hash":"` + hash + `"}`), version},
		{"version a string", extension(`{"version":"1","sha256Hash":"` + hash + `"}`), version},
		{"version above any integer", extension(`{"version":1e400,"sha256Hash":"` + hash + `"}`), version},
		{"extension a string", extension(`"` + hash + `"`), noObject},
		{"extension a list", extension(`[]`), noObject},
		{"extension a boolean", extension(`true`), noObject},
		{"id not a hash", id("sha256:" + hash[1:]), badID},
		{"id with a hash in upper case", id("sha256:" + strings.ToUpper(hash)), badID},
		{"huge id", id(strings.Repeat("x", 1<<19)), badID},
		{"id and document", `{"documentId":"a","query":"{ name }"}`, ambiguous},
		{"id and hash", `{"documentId":"a","extensions":{"persistedQuery":{"version":1,"sha256Hash":"` + hash + `"}}}`, ambiguous},
	}
	s := serve(t, persisted.Config{})
	s.register(nameDocument)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := s.post(tt.body)
			if want := (reply{status: http.StatusOK, code: "BAD_REQUEST", message: tt.message}); !equal(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
	if !s.known(nameDocument) {
		t.Error("the document is no longer stored")
	}
	if got := s.post(extension("null")); got.ran != "{ name }" {
		t.Errorf("an extension of null: %+v", got)
	}
}

// rejectNamed represents a limit: it rejects operations with a name after their validation.
type rejectNamed string

func (rejectNamed) ExtensionName() string                   { return "RejectNamed" }
func (rejectNamed) Validate(graphql.ExecutableSchema) error { return nil }
func (name rejectNamed) MutateOperationContext(_ context.Context, c *graphql.OperationContext) *gqlerror.Error {
	if c.Operation.Name == string(name) {
		return gqlerror.Errorf("too expensive")
	}
	return nil
}

func TestOnlyValidDocumentsAreRegistered(t *testing.T) {
	tests := []struct{ name, document string }{
		{"not GraphQL", "{ name"},
		{"no operation", "fragment F on Query { name }"},
		{"invalid for the schema", "{ nome }"},
		{"a missing variable", findDocument},
		{"too many tokens", "{ " + strings.Repeat("name ", maxTokens) + "}"},
		{"rejected by another extension", "query Costly { name }"},
		{"a subscription", "subscription { name }"},
	}
	s := serve(t, persisted.Config{MaxBytes: 256 + len(nameDocument)}, rejectNamed("Costly"))
	s.register(nameDocument)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := s.post(hashed(hashOf(tt.document), tt.document)); got.ran != "" || got.code == string(apierror.BadRequest) {
				t.Fatalf("registration: %+v", got)
			}
			if s.known(tt.document) {
				t.Error("it was stored")
			}
		})
	}
	mutation := "mutation { rename }"
	s.get(url.Values{"query": {mutation}, "extensions": {`{"persistedQuery":{"version":1,"sha256Hash":"` + hashOf(mutation) + `"}}`}})
	if s.known(mutation) {
		t.Error("a mutation over GET was stored")
	}
	if !s.known(nameDocument) {
		t.Error("invalid documents evicted a valid one")
	}
}

func TestStoreIsBounded(t *testing.T) {
	document := func(i int) string { return fmt.Sprintf("query Q%04d { name }", i) }
	t.Run("many documents", func(t *testing.T) {
		const capacity = 3
		s := serve(t, persisted.Config{MaxBytes: capacity*(256+len(document(0))) + 200})
		s.register(document(0))
		for i := 1; i < 200; i++ {
			s.register(document(i))
			if !s.known(document(0)) {
				t.Fatalf("a document in use was evicted by %d others", i)
			}
		}
		kept := 0
		for i := range 200 {
			if s.known(document(i)) {
				kept++
			}
		}
		if kept != capacity {
			t.Errorf("%d documents are stored, want %d", kept, capacity)
		}
	})
	t.Run("a document larger than the store", func(t *testing.T) {
		s := serve(t, persisted.Config{MaxBytes: 1000})
		s.register(document(0))
		large := document(1) + strings.Repeat(" ", 1000)
		s.register(large)
		if s.known(large) || !s.known(document(0)) {
			t.Error("it was stored, or evicted another one")
		}
	})
}

// TestConcurrentUse is for the race detector: each of many registrations, evictions and lookups runs its own document.
func TestConcurrentUse(t *testing.T) {
	s := serve(t, persisted.Config{MaxBytes: 5 * (256 + len("query Q0 { name }"))})
	var callers sync.WaitGroup
	for caller := range 8 {
		callers.Go(func() {
			for i := range 50 {
				document := fmt.Sprintf("query Q%d { name }", (caller+i)%10)
				if got := s.post(hashed(hashOf(document), "")); got.ran != document && got.code != string(apierror.PersistedNotFound) {
					t.Errorf("%q by its hash: %+v", document, got)
				}
				if got := s.post(hashed(hashOf(document), document)); got.ran != document {
					t.Errorf("%q: %+v", document, got)
				}
			}
		})
	}
	callers.Wait()
}
