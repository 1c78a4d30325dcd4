package apierror

// Code is extensions.code of an error, the enum ErrorCode of the schema. docs/errors.md says how a client handles each
// code.
type Code string

// The codes of requests that are rejected before execution.
const (
	BadRequest         Code = "BAD_REQUEST"               // the HTTP request is malformed
	ParseFailed        Code = "GRAPHQL_PARSE_FAILED"      // the document has a syntax error
	ValidationFailed   Code = "GRAPHQL_VALIDATION_FAILED" // the document or its variables do not match the schema
	PersistedNotFound  Code = "PERSISTED_QUERY_NOT_FOUND" // Apollo's code: its clients then send the text
	DocumentNotTrusted Code = "DOCUMENT_NOT_TRUSTED"      // only documents of the manifest may run
	LimitExceeded      Code = "LIMIT_EXCEEDED"            // a limit, named in extensions.limit
	Overloaded         Code = "OVERLOADED"                // no slot or no memory is available at the moment
)

// The codes of operations and their fields.
const (
	Unauthenticated    Code = "UNAUTHENTICATED"
	Forbidden          Code = "FORBIDDEN"
	NotFound           Code = "NOT_FOUND"
	BadUserInput       Code = "BAD_USER_INPUT"
	RateLimited        Code = "RATE_LIMITED"
	UpstreamError      Code = "UPSTREAM_ERROR"
	Unavailable        Code = "UPSTREAM_UNAVAILABLE"
	Timeout            Code = "UPSTREAM_TIMEOUT"
	InvalidResponse    Code = "UPSTREAM_INVALID_RESPONSE"
	PagingUnsupported  Code = "PAGINATION_UNSUPPORTED"
	LinksNotConfigured Code = "LINKS_NOT_CONFIGURED" // there is no source of notification ids
	Internal           Code = "INTERNAL"
)
