//go:build !linux

package redistest

import "syscall"

// killedWithThread exists on Linux only. Elsewhere a server outlives a test process that is killed.
func killedWithThread() *syscall.SysProcAttr { return nil }
