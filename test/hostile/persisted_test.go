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
func named(document, hash string, lines ...string) request {
	text, err := json.Marshal(document)
	if err != nil {
		panic(err) // JSON can encode every string
	}
	body := `{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"` + hash + `"}}`
	if document != "" {
		body += `,"query":` + string(text)
	}
	return post(body+"}", lines...)
}

// persistedDocuments are invalid or unknown hashes and ids of documents: those that could be echoed, that cost much,
// and that TestAutomaticRejects of package persisted lacks. The response to an unknown one has status 200 for every
// media type, because Apollo's clients expect that.
func persistedDocuments() []row {
	const document = "{ deposits { totalCount } }"
	hash := hashOf(document)
	extension := func(value string) request { return post(`{"extensions":{"persistedQuery":` + value + `}}`) }
	var rows []row
	for _, tt := range []struct {
		name string
		send request
	}{
		{"the hash of another document", named(document, hashOf("x"))}, {"a hash of 100 KB", named("", strings.Repeat("a", 100_000))},
		{"a hash that is not hexadecimal", named("", echo)}, {"version 0", extension(`{"version":0,"sha256Hash":"` + hash + `"}`)},
		{"a version as a fraction", extension(`{"version":1.5,"sha256Hash":"` + hash + `"}`)},
		{"an id with an invalid hash", post(`{"documentId":"sha256:` + echo + `"}`)},
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
		{"too deep", strings.Repeat("{ a ", 40) + strings.Repeat("}", 40), limit, "depth"},
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
func trusting(t *testing.T, shared *gateway) {
	const document = "query Find { deposits { totalCount } }"
	manifest := filepath.Join(t.TempDir(), "manifest.json")
	text, err := json.Marshal(map[string]string{"find": document})
	must(t, err)
	must(t, os.WriteFile(manifest, text, 0o600))
	g := newGateway(t, shared.binary, "--persisted-manifest="+manifest, "--persisted-only=on")
	for _, r := range []row{
		{name: "its id", send: post(`{"documentId":"find"}`), status: 200},
		{name: "its id over GET", send: get("documentId=find"), status: 200},
		{name: "its hash", send: named("", hashOf(document)), status: 200},
		{name: "its text", send: query(document), status: 200},
		{name: "another document", send: post(good), status: 400, code: notTrusted},
		{name: "another with the id of the trusted one", send: named("{ __typename }", "find"), status: 400, code: badRequest},
		{name: "not a document", send: query(echo), status: 400, code: notTrusted},
		{name: "an id in upper case", send: post(`{"documentId":"FIND"}`), status: 400, code: notTrusted},
		{name: "the id with a NUL", send: post(`{"documentId":"find\u0000"}`), status: 400, code: notTrusted},
	} {
		t.Run(r.name, func(t *testing.T) { g.wantRow(t, r) })
	}
	g.wantCleanEnd(t)
}
