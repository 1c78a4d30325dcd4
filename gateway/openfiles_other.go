//go:build !unix

package gateway

// maxOpenFiles returns 0: the limit is unknown.
func maxOpenFiles() int { return 0 }
