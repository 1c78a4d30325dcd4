//go:build tools

// Package main pins gqlgen and its command in go.mod. `make generate` runs graph/generate, which is gqlgen with a
// plugin.
package main

import _ "github.com/99designs/gqlgen"
