//go:build tools

// Package lint pins the linters of `make check` in a module of their own: the gateway does not depend on them.
package lint

import _ "github.com/golangci/golangci-lint/v2/cmd/golangci-lint"
