package redistest

import "syscall"

// killedWithThread makes the kernel kill a process when the thread that started it ends.
func killedWithThread() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
