// Package binary tests the gateway's binary as an operator runs it. It has tests only.
package binary
