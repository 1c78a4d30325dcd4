package apierror

// Code is extensions.code of an error. docs/errors.md says what a client does about each.
type Code string

// The codes of requests that do not run.
const (
	BadRequest            Code = "BAD_REQUEST"               // the HTTP request is not one that GraphQL can be read from
	ParseFailed           Code = "GRAPHQL_PARSE_FAILED"      // the document is not GraphQL
	ValidationFailed      Code = "GRAPHQL_VALIDATION_FAILED" // the document or its variables do not fit the schema
	PersistedNotFound     Code = "PERSISTED_QUERY_NOT_FOUND" // Apollo's: its clients send the text after it
	PersistedNotSupported Code = "PERSISTED_QUERY_NOT_SUPPORTED"
	DocumentNotTrusted    Code = "DOCUMENT_NOT_TRUSTED" // only documents of the manifest run
	LimitExceeded         Code = "LIMIT_EXCEEDED"       // a limit, which is named
	Overloaded            Code = "OVERLOADED"           // there is no place or no memory for it at the moment
)

// The codes of operations and of their fields.
const (
	Unauthenticated   Code = "UNAUTHENTICATED"
	Forbidden         Code = "FORBIDDEN"
	NotFound          Code = "NOT_FOUND"
	BadUserInput      Code = "BAD_USER_INPUT"
	RateLimited       Code = "RATE_LIMITED"
	UpstreamError     Code = "UPSTREAM_ERROR"
	Unavailable       Code = "UPSTREAM_UNAVAILABLE"
	Timeout           Code = "UPSTREAM_TIMEOUT"
	InvalidResponse   Code = "UPSTREAM_INVALID_RESPONSE"
	PagingUnsupported Code = "PAGINATION_UNSUPPORTED"
	Internal          Code = "INTERNAL"
)
