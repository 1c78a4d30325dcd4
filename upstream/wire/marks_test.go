package wire

import (
	"bytes"
	"testing"
)

// FuzzMarks compares the marks of markBlocks, which may use AVX2, with those of markBlocksPortably and with the bytes.
func FuzzMarks(f *testing.F) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	for _, seed := range [][]byte{nil, all, bytes.Repeat([]byte(`"\`), 100), bytes.Repeat([]byte{0x1f, 0x20, 0x7f, 0x80, 0xa2, 0xdc, 0xff}, 30)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		marks := newMarks(document)
		defer marks.release()
		padded := append(bytes.Clone(document), make([]byte, blockSize)...)
		want := make([]mark, len(document)/blockSize+1)
		markBlocksPortably(&want[0], &padded[0], len(want))
		for i, got := range marks.list {
			if got != want[i] {
				t.Fatalf("block %d of %q: %x, want %x", i, document, got, want[i])
			}
			for at := range blockSize {
				c := padded[i*blockSize+at]
				stop := c == '"' || c == '\\' || c < ' '
				if got.stop>>at&1 == 1 != stop || got.high>>at&1 == 1 != (c >= 0x80) {
					t.Fatalf("byte %d, %#x: %x", i*blockSize+at, c, got)
				}
			}
		}
	})
}
