package leaktest

import (
	"testing"
	"time"
)

// TestFind: find reports a goroutine while it runs, and waits for its end.
func TestFind(t *testing.T) {
	end := make(chan struct{})
	go func() { <-end }()
	if find(0) == nil {
		t.Error("a running goroutine was not found")
	}
	close(end)
	if err := find(time.Minute); err != nil {
		t.Errorf("an ended goroutine was found: %v", err)
	}
}
