package run_test

import (
	"testing"

	"pixgraph/serve/run"
)

// TestInvalidConfig: New rejects negative limits.
func TestInvalidConfig(t *testing.T) {
	for _, config := range []run.Config{{MaxBody: -1}, {MaxErrors: -1}} {
		if _, err := run.New(nil, config); err == nil {
			t.Errorf("%+v was accepted", config)
		}
	}
}
