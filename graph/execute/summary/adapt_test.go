package summary

import (
	"testing"
	"time"

	"pixgraph/upstream"
)

// TestAdapt: as many pages are fetched at the same time as the API sends without taking much longer for each of them.
func TestAdapt(t *testing.T) {
	for name, tt := range map[string]struct {
		took        func(window int) time.Duration
		least, most int // pages at the same time in the end
	}{
		"an API that is far away":  {func(int) time.Duration { return 100 * time.Millisecond }, ahead, ahead},
		"one that makes 4 at once": {func(n int) time.Duration { return 10 * time.Millisecond * time.Duration(max(4, n)) / 4 }, 8, ahead},
		"one that makes 1 at once": {func(n int) time.Duration { return 10 * time.Millisecond * time.Duration(n) }, 1, 4},
	} {
		r := &reading[upstream.Deposit]{most: ahead, window: 1, fastest: tt.took(1)}
		for i := range 40 {
			if r.adapt(tt.took(r.window)); i >= 20 && (r.window < tt.least || r.window > tt.most) {
				t.Errorf("%s: %d pages", name, r.window)
			}
		}
	}
}
