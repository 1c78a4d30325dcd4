// Package contract compares the sandbox, the client and docs/upstream-api.md with docs/upstream-api.yaml, the OpenAPI document
// of the two REST APIs, so that none of the four can change alone. It has tests only.
//
//   - responses_test.go, errors_test.go: the document describes every response of the sandbox.
//   - parameters_test.go: the sandbox and the client reject the same parameters as the document.
//   - requests_test.go: the document describes every request of the client.
//   - accessors_test.go, page_test.go: the client reads exactly the properties of the document, and rejects the same values.
//   - prose_test.go: the tables of docs/upstream-api.md are the same as those of the document.
//
// It does not test what the document leaves open. The tests of upstream/sandbox and upstream do.
//
// Read first: document_test.go.
package contract
