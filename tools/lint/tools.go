//go:build tools

// Package lint pins the linters of `make check` in a separate module, so that the gateway does not depend on them.
package lint

import _ "github.com/golangci/golangci-lint/v2/cmd/golangci-lint"
