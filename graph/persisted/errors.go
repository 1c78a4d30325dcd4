package persisted

// The codes of extensions.code that this package's errors have.
const (
	// CodeNotFound and CodeNotSupported are Apollo's: its clients send the text after the one, and stop sending hashes
	// after the other. They look for them in answers of status 200.
	CodeNotFound     = "PERSISTED_QUERY_NOT_FOUND"
	CodeNotSupported = "PERSISTED_QUERY_NOT_SUPPORTED"
	// CodeNotTrusted: only documents of the manifest run here, and this is none.
	CodeNotTrusted = "DOCUMENT_NOT_TRUSTED"
	// CodeBadRequest: the request does not name a document in any way that there is, or contradicts itself.
	CodeBadRequest = "BAD_REQUEST"
)

// Error says why the document of a request does not run. Its text is fixed and holds nothing of the request.
type Error struct {
	Code    string // one of the codes above
	message string
}

// Error implements error. The text is for clients.
func (e *Error) Error() string { return e.message }

// Every error that a client can see. The first two texts are part of Apollo's protocol.
var (
	errNotFound     = &Error{CodeNotFound, "PersistedQueryNotFound"}
	errNotSupported = &Error{CodeNotSupported, "PersistedQueryNotSupported"}
	errNotTrusted   = &Error{CodeNotTrusted, "only trusted documents run here, and this is none of them"}
	errTwoDocuments = &Error{CodeBadRequest, "documentId excludes query and extensions.persistedQuery"}
	errBadID        = &Error{CodeBadRequest, "documentId must be a document identifier of at most 256 bytes"}
	errBadExtension = &Error{CodeBadRequest, "extensions.persistedQuery must be an object"}
	errBadVersion   = &Error{CodeBadRequest, "extensions.persistedQuery.version must be 1"}
	errBadHash      = &Error{CodeBadRequest, "extensions.persistedQuery.sha256Hash must be a SHA-256 in lower-case hex, or the id of a trusted document"}
	errMismatch     = &Error{CodeBadRequest, "extensions.persistedQuery.sha256Hash is not the hash of query"}
)
