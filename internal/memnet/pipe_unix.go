//go:build unix

package memnet

import (
	"sync"
	"syscall"
)

// emptyPipe is the descriptor of a pipe to which nothing is written.
var emptyPipe = sync.OnceValues(func() (uintptr, error) {
	var ends [2]int
	if err := syscall.Pipe(ends[:]); err != nil {
		return 0, err
	}
	return uintptr(ends[0]), syscall.SetNonblock(ends[0], true)
})
