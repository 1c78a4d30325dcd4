package hostile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The codes of persisted documents.
const (
	notFound   = "PERSISTED_QUERY_NOT_FOUND"
	notTrusted = "DOCUMENT_NOT_TRUSTED"
)

// hashOf is the hash of a document.
func hashOf(document string) string {
	sum := sha256.Sum256([]byte(document))
	return hex.EncodeToString(sum[:])
}

// named posts a document and its hash, or only the hash if the document is "".
func named(document, hash string) request {
	text, err := json.Marshal(document)
	if err != nil {
		panic(err) // JSON can encode every string
	}
	body := `{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"` + hash + `"}}`
	if document != "" {
		body += `,"query":` + string(text)
	}
	return post(body + "}")
}

// persistedDocuments are invalid or unknown hashes and ids of documents. The response to an unknown one has status 200
// for every media type, because Apollo's clients expect that.
func persistedDocuments() []row {
	const document = "{ deposits { totalCount } }"
	hash := hashOf(document)
	extension := func(value string) request { return post(`{"extensions":{"persistedQuery":` + value + `}}`) }
	var rows []row
	for _, tt := range []struct {
		name string
		send request
	}{
		{"the hash of another document", named(document, hashOf("x"))}, {"a hash in upper case", named(document, strings.ToUpper(hash))},
		{"a short hash", named(document, hash[:63])}, {"a long hash", named(document, hash+"0")},
		{"a hash that is not hexadecimal", named("", echo)}, {"an empty hash", named("", "")}, {"a hash of 100 KB", named("", strings.Repeat("a", 100_000))},
		{"a hash as a number", extension(`{"version":1,"sha256Hash":1}`)},
		{"a hash as a list", extension(`{"version":1,"sha256Hash":["` + hash + `"]}`)}, {"a hash null", extension(`{"version":1,"sha256Hash":null}`)},
		{"no hash", extension(`{"version":1}`)},
		{"version 2", extension(`{"version":2,"sha256Hash":"` + hash + `"}`)}, {"version 0", extension(`{"version":0,"sha256Hash":"` + hash + `"}`)},
		{"a version as a string", extension(`{"version":"1","sha256Hash":"` + hash + `"}`)},
		{"a version as a fraction", extension(`{"version":1.5,"sha256Hash":"` + hash + `"}`)},
		{"a version out of range", extension(`{"version":1E400,"sha256Hash":"` + hash + `"}`)}, {"no version", extension(`{"sha256Hash":"` + hash + `"}`)},
		{"a string", extension(`"` + hash + `"`)}, {"a list", extension(`[]`)}, {"a number", extension(`7`)}, {"true", extension(`true`)},
		{"an id and a document", post(`{"documentId":"sha256:` + hash + `","query":"` + document + `"}`)},
		{"an id and a hash", post(`{"documentId":"x","extensions":{"persistedQuery":{"version":1,"sha256Hash":"` + hash + `"}}}`)},
		{"an id of 300 bytes", post(`{"documentId":"` + strings.Repeat("a", 300) + `"}`)},
		{"an id with an invalid hash", post(`{"documentId":"sha256:` + echo + `"}`)},
		{"an id in the extensions only", post(`{"extensions":{"documentId":"x"}}`)},
	} {
		rows = append(rows, row{name: tt.name, send: tt.send, status: 400, code: badRequest})
	}
	for _, tt := range []struct {
		name string
		send request
	}{
		{"an unknown hash", named("", hashOf(echo))}, {"an unknown id", post(`{"documentId":"` + echo + `"}`)},
		{"an unknown id of a hash", post(`{"documentId":"sha256:` + hashOf(echo) + `"}`)},
		{"an unknown hash over GET", get("extensions=" + escape(`{"persistedQuery":{"version":1,"sha256Hash":"`+hashOf(echo)+`"}}`))},
		{"an unknown id over GET", get("documentId=" + echo)},
		{"an id that is a path", post(`{"documentId":"../../etc/passwd"}`)},
	} {
		rows = append(rows, row{name: tt.name, send: tt.send, status: 200, code: notFound})
	}
	return rows
}

// registering tries to register documents that cannot run, and then one that can.
func registering(t *testing.T, g *gateway) {
	for _, tt := range []struct{ name, document, code, limit string }{
		{"not parseable", "{ deposits {", parse, ""}, {"invalid", "{ depositz { totalCount } }", invalid, ""}, {"a mutation", "mutation { x }", invalid, ""},
		{"too large", "{ deposits { totalCount } }" + strings.Repeat(" ", 40_000), limit, "bytes"},
		{"too deep", strings.Repeat("{ ... ", 40) + "{ a }" + strings.Repeat("}", 40), limit, "nesting"},
		{"too expensive", "{ notification(id: 1) { transaction { notifications { nodes { transaction { notifications { __typename } } } } } } }", limit, "cost"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g.wantRow(t, row{send: named(tt.document, hashOf(tt.document)), status: 400, code: tt.code, limit: tt.limit})
			g.wantRow(t, row{send: named("", hashOf(tt.document)), status: 200, code: notFound})
		})
	}
	const document = "{ deposits { perPage } }"
	byHash := get("extensions=" + escape(`{"persistedQuery":{"version":1,"sha256Hash":"`+hashOf(document)+`"}}`))
	g.wantRow(t, row{send: byHash, status: 200, code: notFound})
	g.wantRow(t, row{send: named(document, hashOf(document)), status: 200})
	g.wantRow(t, row{send: byHash, status: 200})
	for i := range 100 {
		other := document + strings.Repeat(" ", 100*i)
		g.wantRow(t, row{send: named(other, hashOf(other)), status: 200})
	}
	g.wantResponse(t)
}

// trusting is a gateway that runs only the documents of a manifest.
func trusting(t *testing.T, binary string) {
	const document = "query Find { deposits { totalCount } }"
	manifest := filepath.Join(t.TempDir(), "manifest.json")
	text, err := json.Marshal(map[string]string{"find": document})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(manifest, text, 0o600); err != nil {
		t.Fatal(err)
	}
	g := newGateway(t, binary, "--persisted-manifest="+manifest, "--persisted-only=on")
	for _, r := range []row{
		{name: "its id", send: post(`{"documentId":"find"}`), status: 200},
		{name: "its id over GET", send: get("documentId=find"), status: 200},
		{name: "its hash", send: named("", hashOf(document)), status: 200},
		{name: "its text", send: query(document), status: 200},
		{name: "its text with an additional space", send: query(document + " "), status: 400, code: notTrusted},
		{name: "another document", send: post(good), status: 400, code: notTrusted},
		{name: "another over GET", send: get("query=" + escape("{ deposits { totalCount } }")), status: 400, code: notTrusted},
		{name: "another with its hash", send: named("{ __typename }", hashOf("{ __typename }")), status: 400, code: notTrusted},
		{name: "another with the id of the trusted one", send: named("{ __typename }", "find"), status: 400, code: badRequest},
		{name: "another with the hash of the trusted one", send: named("{ __typename }", hashOf(document)), status: 400, code: badRequest},
		{name: "another with an id", send: post(`{"documentId":"find","query":"{ __typename }"}`), status: 400, code: badRequest},
		{name: "introspection", send: query("{ __schema { types { name } } }"), status: 400, code: notTrusted},
		{name: "not a document", send: query(echo), status: 400, code: notTrusted},
		{name: "an unknown id", send: post(`{"documentId":"` + echo + `"}`), status: 400, code: notTrusted},
		{name: "an unknown hash", send: named("", hashOf(echo)), status: 400, code: notTrusted},
		{name: "an id in upper case", send: post(`{"documentId":"FIND"}`), status: 400, code: notTrusted},
		{name: "the id with a NUL", send: post(`{"documentId":"find\u0000"}`), status: 400, code: notTrusted},
	} {
		t.Run(r.name, func(t *testing.T) { g.wantRow(t, r) })
	}
	g.wantCleanEnd(t)
}
