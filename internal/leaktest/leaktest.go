// Package leaktest has a package's tests fail when they leave goroutines behind, on a busy machine too: goleak alone gives
// them half a second to end.
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

// patience is how long goroutines may take to end: those that do end take milliseconds.
const patience = time.Minute

// Main runs the tests and ends the process.
func Main(m *testing.M) {
	code := m.Run()
	if code == 0 {
		if err := find(patience); err != nil {
			fmt.Fprintln(os.Stderr, "leaktest:", err)
			code = 1
		}
	}
	os.Exit(code)
}

// find looks for goroutines other than its own until there are none. Its error shows those that were there at the last look.
func find(within time.Duration) error {
	for late := time.Now().Add(within); ; {
		err := goleak.Find() // which waits a little at each of several looks
		if err == nil || !time.Now().Before(late) {
			return err
		}
	}
}
