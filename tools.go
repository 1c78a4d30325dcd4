//go:build tools

// Package main pins the code generator in go.mod: `make generate` runs it.
package main

import _ "github.com/99designs/gqlgen"
