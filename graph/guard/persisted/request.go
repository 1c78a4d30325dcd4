package persisted

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/graph/apierror"
	"pixgraph/request"
)

// The members of a request's extensions that name a document.
const (
	// documentID is where the transport puts the documentId of a request, a POST member or a GET parameter (GraphQL
	// over HTTP, appendix A).
	documentID = "documentId"
	// persistedQuery is Apollo's member, {"version": 1, "sha256Hash": …}.
	persistedQuery = "persistedQuery"
)

// protocolVersion is the only version of Apollo's protocol, as the transport decodes it.
const protocolVersion = json.Number("1")

// resolve puts the document that params names into params.Query, or returns the reason why it cannot. A request may
// name its document
//
//   - by documentId: the id of a trusted document, or sha256: and the hash of any known document;
//   - by extensions.persistedQuery.sha256Hash: the hash of any known document, or, as Apollo's clients do with a
//     manifest, the id of a trusted one. If the request has the text too, the hash must match it; resolve returns the
//     text for registration after validation;
//   - by its text.
//
// With OnlyOn, each of the three must resolve to a trusted document.
func (d *Documents) resolve(call *request.Call, params *graphql.RawParams) (*request.Registration, *apierror.Error) {
	id, hash := params.Extensions[documentID], params.Extensions[persistedQuery]
	switch {
	case id != nil && (hash != nil || params.Query != ""):
		return nil, errTwoDocuments
	case id != nil:
		return d.resolveID(call, params, id)
	case hash != nil:
		return d.resolveHash(call, params, hash)
	case d.only == OnlyOn && params.Query != "" && !d.manifest.current.Load().has(params.Query):
		return nil, errNotTrusted
	}
	return nil, nil // nothing to register and no error
}

func (d *Documents) resolveID(call *request.Call, params *graphql.RawParams, value any) (*request.Registration, *apierror.Error) {
	id, ok := value.(string)
	if !ok || !isID(id) {
		return nil, errBadID
	}
	set := d.manifest.current.Load()
	text, known := set.byID[id]
	var shared *request.Registration
	if digits, isHash := strings.CutPrefix(id, hashPrefix); isHash && !known {
		hash, ok := parseDigest(digits)
		if !ok {
			return nil, errBadID
		}
		if text, known = set.byHash[hash]; !known {
			text, known = d.store.get(call.Share(), hash)
		}
		if !known {
			text, shared, known = d.fromFleet(call, hash)
		}
	}
	switch {
	case known:
		params.Query = text
		return shared, nil
	case d.only == OnlyOn:
		return nil, errNotTrusted
	default:
		return nil, errNotFound
	}
}

// fromFleet returns a document that a client has registered at another replica. It is validated as if this client had
// sent it, and then stored here too.
func (d *Documents) fromFleet(call *request.Call, hash digest) (text string, shared *request.Registration, known bool) {
	if d.fleet == nil {
		return "", nil, false
	}
	if text, known = d.fleet.Document(call, hash); known {
		shared = &request.Registration{Hash: hash, Text: text, Shared: true}
	}
	return text, shared, known
}

func (d *Documents) resolveHash(call *request.Call, params *graphql.RawParams, value any) (*request.Registration, *apierror.Error) {
	name, refused := readPersistedQuery(value)
	if refused != nil {
		return nil, refused
	}
	set := d.manifest.current.Load()
	if text, ok := set.byID[name]; ok && (params.Query == "" || params.Query == text) {
		params.Query = text
		return nil, nil
	}
	hash, ok := parseDigest(name)
	if !ok {
		return nil, errBadHash
	}
	text, known := set.byHash[hash]
	if !known {
		text, known = d.store.get(call.Share(), hash)
	}
	var shared *request.Registration
	if !known && params.Query == "" {
		text, shared, known = d.fromFleet(call, hash)
	}
	switch {
	case known && (params.Query == "" || params.Query == text): // a known text is not hashed again
		params.Query = text
		return shared, nil
	case params.Query != "" && sha256.Sum256([]byte(params.Query)) != hash:
		return nil, errMismatch
	case d.only == OnlyOn:
		return nil, errNotTrusted
	case params.Query == "":
		return nil, errNotFound
	}
	return &request.Registration{Hash: hash, Text: params.Query}, nil
}

// readPersistedQuery reads Apollo's extension, as the transport decoded it, and returns its sha256Hash.
func readPersistedQuery(value any) (string, *apierror.Error) {
	members, ok := value.(map[string]any)
	if !ok {
		return "", errBadExtension
	}
	if members["version"] != protocolVersion {
		return "", errBadVersion
	}
	hash, ok := members["sha256Hash"].(string)
	if !ok || !isID(hash) {
		return "", errBadHash
	}
	return hash, nil
}

// maxID bounds an id in bytes. It is longer than any hash in hex and any usual operation name, and short enough for a
// URL.
const maxID = 256

func isID(id string) bool { return id != "" && len(id) <= maxID }

// digest is the SHA-256 of a document's text.
type digest [sha256.Size]byte

// hashPrefix is the prefix of a SHA256 hex document identifier (GraphQL over HTTP, appendix A).
const hashPrefix = "sha256:"

// parseDigest parses 64 lower-case hexadecimal digits, the only form in both protocols. It does not allocate.
func parseDigest(text string) (d digest, ok bool) {
	var digits [2 * len(d)]byte
	if len(text) != len(digits) || strings.ContainsAny(text, "ABCDEF") {
		return d, false
	}
	copy(digits[:], text)
	_, err := hex.Decode(d[:], digits[:])
	return d, err == nil
}
