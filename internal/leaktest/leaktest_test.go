package leaktest

import (
	"testing"
	"time"
)

// TestFind finds a goroutine as long as it is there, and waits for its end.
func TestFind(t *testing.T) {
	end := make(chan struct{})
	go func() { <-end }()
	if find(0) == nil {
		t.Error("a goroutine that waits was not found")
	}
	close(end)
	if err := find(time.Minute); err != nil {
		t.Errorf("nothing should be found after the end: %v", err)
	}
}
