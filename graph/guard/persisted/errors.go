package persisted

import (
	"net/http"

	"pixgraph/graph/apierror"
)

// The errors that a client can see. The text of the first is part of Apollo's protocol: its clients look for it in
// responses with status 200.
var (
	errNotFound     = &apierror.Error{Code: apierror.PersistedNotFound, Message: "PersistedQueryNotFound", Status: http.StatusOK}
	errNotTrusted   = &apierror.Error{Code: apierror.DocumentNotTrusted, Message: "this document is not in the manifest"}
	errTwoDocuments = bad("documentId cannot be combined with query or extensions.persistedQuery")
	errBadID        = bad("documentId must be a document identifier of at most 256 bytes")
	errBadExtension = bad("extensions.persistedQuery must be an object")
	errBadVersion   = bad("extensions.persistedQuery.version must be 1")
	errBadHash      = bad("extensions.persistedQuery.sha256Hash must be a SHA-256 in lower-case hex, or the id of a trusted document")
	errMismatch     = bad("extensions.persistedQuery.sha256Hash does not match query")
)

// bad returns the error for a request whose reference to a document is malformed or contradicts itself.
func bad(message string) *apierror.Error {
	return &apierror.Error{Code: apierror.BadRequest, Message: message}
}
