// Package leaktest makes the tests of a package fail if they leave goroutines behind. It also works on a busy machine;
// goleak alone gives goroutines half a second to end.
//
// It is for TestMain only. Read first: Main.
package leaktest

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// timeout is how long goroutines may take to end. Usually they take milliseconds.
const timeout = time.Minute

// Main runs the tests and exits the process.
func Main(m *testing.M) {
	code := m.Run()
	if code == 0 {
		if err := find(); err != nil {
			fmt.Fprintln(os.Stderr, "leaktest:", err)
			code = 1
		}
	}
	os.Exit(code)
}

// find looks for other goroutines until none is left. Its error lists those of the last look.
func find() error {
	for deadline := time.Now().Add(timeout); ; {
		err := goleak.Find() // retries several times with short waits
		if err == nil || !time.Now().Before(deadline) {
			return err
		}
	}
}
