//go:build unix

package http1

import "syscall"

// nothingToRead makes one read of a descriptor that does not block.
func nothingToRead(descriptor uintptr) bool {
	var one [1]byte
	_, err := syscall.Read(int(descriptor), one[:])
	return err == syscall.EAGAIN
}
