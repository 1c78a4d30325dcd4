//go:build unix

package gateway

import "syscall"

// maxOpenFiles returns how many files the process may open; 0 if it is unknown. Go has raised the limit as far as it
// may.
func maxOpenFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	const unlimited = 1 << 30 // "unlimited" does not fit
	return int(min(limit.Cur, unlimited))
}
