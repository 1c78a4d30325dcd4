package gatewaytest

import (
	"fmt"
	"testing"
)

// Row runs a row of a table in a bubble of testing/synctest, where a test has no subtests. Its failures have its name.
func Row(t testing.TB, name string, test func(testing.TB)) {
	t.Helper()
	test(row{t, name})
}

// row is the testing.TB of a row.
type row struct {
	testing.TB
	name string
}

// Error implements testing.TB.
func (r row) Error(args ...any) {
	r.Helper()
	r.TB.Errorf("%s: %s", r.name, fmt.Sprintln(args...))
}

// Errorf implements testing.TB.
func (r row) Errorf(format string, args ...any) {
	r.Helper()
	r.TB.Errorf("%s: %s", r.name, fmt.Sprintf(format, args...))
}

// Fatal implements testing.TB.
func (r row) Fatal(args ...any) {
	r.Helper()
	r.TB.Fatalf("%s: %s", r.name, fmt.Sprintln(args...))
}

// Fatalf implements testing.TB. It ends the whole test.
func (r row) Fatalf(format string, args ...any) {
	r.Helper()
	r.TB.Fatalf("%s: %s", r.name, fmt.Sprintf(format, args...))
}
