//go:build unix

package listener

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// maxLockWait is how long lockDirectory waits: any user with read permission can lock it, and a gateway must start.
const maxLockWait = 5 * time.Second

// lockDirectory waits until no other process has locked a directory, and locks it. A directory that cannot be read, or
// on a file system without locks, is not locked.
func lockDirectory(path string) (unlock func()) {
	directory, err := os.Open(path)
	if err != nil {
		return func() {}
	}
	for start := time.Now(); time.Since(start) < maxLockWait; time.Sleep(5 * time.Millisecond) {
		if err := syscall.Flock(int(directory.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); !errors.Is(err, syscall.EWOULDBLOCK) {
			break
		}
	}
	return func() { _ = directory.Close() }
}
