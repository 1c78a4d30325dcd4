//go:build !unix

package memnet

import "errors"

// emptyPipe fails: the HTTP client looks at idle connections on Unix only.
func emptyPipe() (uintptr, error) { return 0, errors.ErrUnsupported }
