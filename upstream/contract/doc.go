// Package contract compares the sandbox, the client and docs/upstream-api.md with docs/upstream-api.yaml, the OpenAPI document
// of the two REST APIs, so that none of the four can change alone. It has tests only.
//
//   - answers_test.go, errors_test.go: every answer of the sandbox is one that the document describes.
//   - parameters_test.go: the sandbox and the client refuse the parameters that the document refuses, and no others.
//   - requests_test.go: every request of the client is one that the document describes.
//   - accessors_test.go, page_test.go: the client reads every property of the document and nothing else, and refuses the same.
//   - prose_test.go: the tables of docs/upstream-api.md say the same as the document.
//
// It does not test what the document leaves open: the tests of upstream/sandbox and upstream do.
//
// Read first: document_test.go.
package contract
