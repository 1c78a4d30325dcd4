// Package leaktest makes the tests of a package fail if they leave goroutines behind. It waits for these as long as go
// test does, because a busy machine may let a goroutine that ends wait for any time. Tests in bubbles of
// testing/synctest do not need it: a bubble ends with its goroutines.
//
// It is for TestMain only. Read first: Main.
package leaktest

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// Main runs the tests, waits for their goroutines, and exits the process.
func Main(m *testing.M) {
	code := m.Run()
	for reported := false; code == 0; reported = true {
		err := goleak.Find() // looks several times
		if err == nil {
			break
		}
		if !reported {
			fmt.Fprintln(os.Stderr, "leaktest: waits for the end of", err)
		}
	}
	os.Exit(code)
}
