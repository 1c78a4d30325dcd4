//go:build unix

package http1

import "syscall"

// nothingToRead makes one non-blocking read of a descriptor.
func nothingToRead(descriptor uintptr) bool {
	var one [1]byte
	_, err := syscall.Read(int(descriptor), one[:])
	return err == syscall.EAGAIN
}
