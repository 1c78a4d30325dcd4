package persisted_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"pixgraph/graph/apierror"
	"pixgraph/graph/guard/persisted"
	"pixgraph/request"
)

// relay is a manifest in Relay's form.
type relay map[string]string

// write writes a manifest into a directory of the test and returns its path.
func write(t testing.TB, manifest string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "manifest.json")
	must(t, os.WriteFile(path, []byte(manifest), 0o600))
	return path
}

// apollo is a manifest in Apollo's form with operations in JSON.
func apollo(operations ...string) string {
	return fmt.Sprintf(`{"format":"apollo-persisted-query-manifest","version":1,"operations":[%s]}`, strings.Join(operations, ","))
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func TestTrustedDocuments(t *testing.T) {
	hash := hashOf(findDocument)
	forms := []struct{ name, id, manifest string }{
		{"Apollo", hash, apollo(encode(map[string]string{"id": hash, "name": "Find", "type": "query", "body": findDocument}))},
		{"Apollo, an id that is not a hash", "find-v1", apollo(encode(map[string]string{"id": "find-v1", "body": findDocument}))},
		{"genqlient", hash, `{"operations":[` + encode(map[string]string{"operationName": "Find", "query": findDocument, "sourceLocation": "a.go"}) + `]}`},
		{"Relay, MD5", "cb3d3b3bdbc2a3b8a7d4a4ff7a5b9f6c", encode(relay{"cb3d3b3bdbc2a3b8a7d4a4ff7a5b9f6c": findDocument})},
		{"Relay, the specification's id", "sha256:" + hash, encode(relay{"sha256:" + hash: findDocument})},
		{"Relay, an id named like Apollo's members", "operations", encode(relay{"operations": findDocument, "format": nameDocument})},
	}
	const variables = `{"id":"a"}`
	for _, form := range forms {
		for _, only := range []persisted.Only{persisted.OnlyOff, persisted.OnlyOn, persisted.OnlyReport} {
			t.Run(fmt.Sprintf("%s, only %v", form.name, only), func(t *testing.T) {
				s := serve(t, persisted.Config{Manifests: []string{write(t, form.manifest)}, Only: only, Log: quiet()})
				s.called = func(call *request.Call) {
					if call.Untrusted {
						t.Error("a trusted document is reported")
					}
				}
				post := func(body string) reply {
					return s.post(strings.Replace(body, "{", `{"variables":`+variables+`,`, 1))
				}
				extension := func(hash string) url.Values {
					return url.Values{"variables": {variables}, "extensions": {`{"persistedQuery":{"version":1,"sha256Hash":"` + hash + `"}}`}}
				}
				for name, got := range map[string]reply{
					"documentId by POST": post(encode(map[string]string{"documentId": form.id})),
					"documentId by GET":  s.get(url.Values{"variables": {variables}, "documentId": {form.id}}),
					"hash as documentId": s.get(url.Values{"variables": {variables}, "documentId": {"sha256:" + hash}}),
					"id as sha256Hash":   post(hashed(form.id, "")),
					"hash as sha256Hash": post(hashed(hash, "")),
					"id by GET":          s.get(extension(form.id)),
					"hash by GET":        s.get(extension(hash)),
					"hash and text":      post(hashed(hash, findDocument)),
					"id and text":        post(hashed(form.id, findDocument)),
					"text alone":         post(sent(findDocument)),
				} {
					if got.ran != findDocument || got.variables["id"] != "a" {
						t.Errorf("%s: %+v", name, got)
					}
				}
			})
		}
	}
}

func TestOnlyTrustedDocuments(t *testing.T) {
	trusted := apollo(
		encode(map[string]string{"id": "name", "body": nameDocument}),
		encode(map[string]string{"id": "find", "body": findDocument}),
	)
	notTrusted := reply{
		status: http.StatusOK, code: "DOCUMENT_NOT_TRUSTED", message: "this document is not in the manifest",
	}
	mismatch := reply{
		status: http.StatusOK, code: "BAD_REQUEST", message: "extensions.persistedQuery.sha256Hash does not match query",
	}
	noID := reply{
		status: http.StatusOK, code: "BAD_REQUEST",
		message: "extensions.persistedQuery.sha256Hash must be a SHA-256 in lower-case hex, or the id of a trusted document",
	}
	const other = "{ name }"
	tests := []struct {
		name, body string
		want       reply
	}{
		{"the text of an untrusted document", sent(other), notTrusted},
		{"its text and hash", hashed(hashOf(other), other), notTrusted},
		{"its hash", hashed(hashOf(other), ""), notTrusted},
		{"its hash as documentId", encode(map[string]string{"documentId": "sha256:" + hashOf(other)}), notTrusted},
		{"an unknown id", encode(map[string]string{"documentId": "another"}), notTrusted},
		{"introspection", sent("{ __schema { types { name } } }"), notTrusted},
		{"__typename", sent("{ __typename }"), notTrusted},
		{"a trusted text with an additional space", sent(nameDocument + " "), notTrusted},
		{"a trusted text with an additional operation", sent(nameDocument + " query More { name }"), notTrusted},
		{"not GraphQL", sent("}"), notTrusted},
		{"a trusted hash and another text", hashed(hashOf(nameDocument), other), mismatch},
		{"a trusted id and another text", hashed("name", other), noID},
		{"a trusted id and another trusted text", hashed("name", findDocument), noID},
		{"a trusted hash and another trusted text", hashed(hashOf(nameDocument), findDocument), mismatch},
	}
	s := serve(t, persisted.Config{Manifests: []string{write(t, trusted)}, Only: persisted.OnlyOn, Log: quiet()})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := s.post(tt.body); !equal(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
	if got := s.post(sent("")); got.ran != "" || got.code == "" {
		t.Errorf("empty document: %+v", got)
	}
}

// TestReport: with OnlyReport documents run as without a manifest, and those that OnlyOn would reject are reported.
func TestReport(t *testing.T) {
	const trusted, other = `query Name { name }`, "{ name }"
	reported := 0
	s := serve(t, persisted.Config{
		Manifests: []string{write(t, encode(relay{"name": trusted}))}, Only: persisted.OnlyReport, Log: quiet(),
	})
	s.called = func(call *request.Call) {
		if call.Untrusted {
			reported++
		}
	}
	for _, tt := range []struct {
		name, body string
		reported   int
		ran        string // "" for an error
	}{
		{"a trusted text", encode(map[string]string{"query": trusted}), 0, trusted},
		{"a trusted id", encode(map[string]string{"documentId": "name"}), 0, trusted},
		{"another text", encode(map[string]string{"query": other}), 1, other},
		{"an unknown hash", hashed(hashOf(other), ""), 0, ""},
		{"its text and hash", hashed(hashOf(other), other), 1, other},
		{"its hash, now known", hashed(hashOf(other), ""), 1, other},
		{"not GraphQL", encode(map[string]string{"query": "}"}), 1, ""},
	} {
		reported = 0
		if got := s.post(tt.body); got.ran != tt.ran || (got.code == "") != (tt.ran != "") || reported != tt.reported {
			t.Errorf("%s: %+v, %d reported", tt.name, got, reported)
		}
	}
}

// TestManifestWithAutomatic: documents that the manifest lacks are automatic persisted queries.
func TestManifestWithAutomatic(t *testing.T) {
	s := serve(t, persisted.Config{Manifests: []string{write(t, encode(relay{"name": nameDocument}))}, Log: quiet()})
	const other = "{ name }"
	if s.known(other) {
		t.Fatal("stored before it was sent")
	}
	s.register(other)
	if !s.known(other) {
		t.Error("not stored after it was sent")
	}
	if got := s.get(url.Values{"documentId": {"another"}}); got.code != string(apierror.PersistedNotFound) {
		t.Errorf("an unknown id: %+v", got)
	}
}

func TestInvalidManifests(t *testing.T) {
	one := func(id, body string) string { return encode(relay{id: body}) }
	tests := []struct {
		name, manifest, want string
	}{
		{"empty", "", "persisted_manifest: is not JSON: unexpected end of JSON input"},
		{"truncated", `{"a":"{ name }`, "persisted_manifest: is not JSON: unexpected end of JSON input"},
		{"text after JSON", one("a", "{ name }") + "x", "persisted_manifest: is not JSON: invalid character 'x' after top-level value"},
		{"not UTF-8", "{\"a\":\"{ name } # \xff\"}", "persisted_manifest: is not UTF-8"},
		{"a list", `[]`, "persisted_manifest: must be an object"},
		{"no document", `{}`, "persisted_manifest: holds no document"},
		{"no operation in Apollo's form", apollo(), "persisted_manifest: holds no document"},
		{"another format", strings.Replace(apollo(`{}`), "apollo", "other", 1),
			`persisted_manifest: has operations, but is not of format "apollo-persisted-query-manifest" and version 1`},
		{"another version", strings.Replace(apollo(`{}`), ":1", ":2", 1),
			`persisted_manifest: has operations, but is not of format "apollo-persisted-query-manifest" and version 1`},
		{"operation that is not an object", apollo(`"{ name }"`), "persisted_manifest: operation 0: must be an object"},
		{"operation without id", apollo(`{"body":"{ name }"}`), "persisted_manifest: operation 0: id must be a text that is not empty"},
		{"operation with ID for id", apollo(`{"ID":"a","body":"{ name }"}`), "persisted_manifest: operation 0: id must be a text that is not empty"},
		{"operation with two ids", apollo(`{"id":"a","id":"b","body":"{ name }"}`), `persisted_manifest: operation 0: "id" occurs twice`},
		{"operation without body", apollo(`{"id":"a"}`), "persisted_manifest: operation 0: body must be a text that is not empty"},
		{"genqlient's operation without query", `{"operations":[{"operationName":"A"}]}`, "persisted_manifest: operation 0: query must be a text that is not empty"},
		{"a number as name", apollo(`{"id":"a","name":1,"body":"{ name }"}`), "persisted_manifest: operation 0: name must be a text that is not empty"},
		{"one id with two texts", apollo(`{"id":"a","body":"{ name }"}`, `{"id":"a","body":"{name}"}`),
			`persisted_manifest: id "a" occurs twice, with two texts`},
		{"one id twice in Relay's form", `{"a":"{ name }","a":"{ name }"}`, `persisted_manifest: "a" occurs twice`},
		{"a text that is null", `{"a":null}`, `persisted_manifest: document "a" must be a text that is not empty`},
		{"an empty id", one("", "{ name }"), "persisted_manifest: member 0: an id must have 1 to 256 bytes"},
		{"a huge id", one(strings.Repeat("x", 257), "{ name }"), "persisted_manifest: member 0: an id must have 1 to 256 bytes"},
		{"a document that is not GraphQL", one("a", "{ name"), `persisted_manifest: document "a": input:1:7: Expected Name, found <EOF>`},
		{"a document invalid for the schema", one("a", "{ nome }"),
			`persisted_manifest: document "a": input:1:3: Cannot query field "nome" on type "Query". Did you mean "name"?`},
		{"a document without operation", one("a", "# nothing"), `persisted_manifest: document "a": has no operation`},
		{"a document with too many tokens", one("a", "{ "+strings.Repeat("name ", 1000)+"}"),
			`persisted_manifest: document "a": input: exceeded token limit of 1000`},
		{"a document that is nested too deep", one("a", strings.Repeat("{name", 1<<16)),
			`persisted_manifest: document "a": input: exceeded token limit of 1000`},
		{"an operation of another name", apollo(`{"id":"a","name":"B","body":"query A { name }"}`),
			`persisted_manifest: document "a": has no operation of the name that the manifest gives`},
		{"an operation without the name", apollo(`{"id":"a","name":"B","body":"{ name }"}`),
			`persisted_manifest: document "a": has no operation of the name that the manifest gives`},
		{"an operation of another type", apollo(`{"id":"a","name":"A","type":"mutation","body":"query A { name }"}`),
			`persisted_manifest: document "a": has an operation of another type than the manifest gives`},
		{"an id that is the hash of another", one("sha256:"+hashOf("{name}"), "{ name }"),
			`persisted_manifest: document "sha256:` + hashOf("{name}") + `": has an id that is not the hash of its text`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wantNewError(t, persisted.Config{Manifests: []string{write(t, tt.manifest)}}, tt.want)
		})
	}
	t.Run("several files", func(t *testing.T) {
		first, second := write(t, one("a", "{ name }")), write(t, one("a", "query A { name }"))
		wantNewError(t, persisted.Config{Manifests: []string{first, second}}, `persisted_manifest: document "a": has another text in another file`)
		wantNewError(t, persisted.Config{Manifests: []string{first, write(t, "{")}}, "persisted_manifest: file 2: is not JSON: unexpected end of JSON input")
	})
	t.Run("only without a manifest", func(t *testing.T) {
		wantNewError(t, persisted.Config{Only: persisted.OnlyOn}, "persisted_only: needs persisted_manifest, or no document could run")
	})
	t.Run("a directory", func(t *testing.T) {
		path := t.TempDir()
		wantNewError(t, persisted.Config{Manifests: []string{path}}, "persisted_manifest: is not a regular file: "+path)
	})
	t.Run("no file", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "absent.json")
		wantNewError(t, persisted.Config{Manifests: []string{path}}, "persisted_manifest: no such file or directory: "+path)
	})
	t.Run("a huge file", func(t *testing.T) {
		path := write(t, "")
		must(t, os.Truncate(path, 32<<20+1))
		wantNewError(t, persisted.Config{Manifests: []string{path}}, "persisted_manifest: is larger than 33554432 bytes: "+path)
	})
	t.Run("a rule that panics", func(t *testing.T) {
		panics := func() *rules.Rules {
			return rules.NewRules(core.Rule{Name: "Panics", RuleFunc: func(*core.Events, core.AddErrFunc) { panic("rule") }})
		}
		wantNewError(t, persisted.Config{Manifests: []string{write(t, one("a", "{ name }"))}, Rules: panics},
			`persisted_manifest: document "a": cannot be validated`)
	})
}

// wantNewError fails the test unless New returns an error with the text.
func wantNewError(t *testing.T, config persisted.Config, want string) {
	t.Helper()
	config.Schema, config.MaxTokens, config.Log = newEcho().schema, maxTokens, quiet()
	documents, err := persisted.New(config)
	if err == nil {
		documents.Close()
		t.Fatal("no error")
	}
	if err.Error() != want {
		t.Errorf("got  %s\nwant %s", err, want)
	}
}
