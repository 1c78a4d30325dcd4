package wire

import (
	"slices"
	"testing"
)

// FuzzNarrowMarks holds the marks that processors without AVX2 make to those that others make.
func FuzzNarrowMarks(f *testing.F) {
	f.Add(slices.Repeat([]byte("\x00\x1f \"\\\x7f\x80\xff"), 20))
	f.Fuzz(func(t *testing.T, text []byte) {
		all := slices.Concat(text, make([]byte, blockSize-len(text)%blockSize))
		want, got := make([]mark, len(all)/blockSize), make([]mark, len(all)/blockSize)
		markBlocks(&want[0], &all[0], len(want))
		markBlocks16(&got[0], &all[0], len(got))
		if !slices.Equal(got, want) {
			t.Fatalf("%q: %x, want %x", all, got, want)
		}
	})
}
