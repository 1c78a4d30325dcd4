package wire

import (
	"encoding/binary"
	"unsafe"
)

// Eight bytes are looked at as one number: every byte of ones is 1, every byte of highs has its highest bit.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// markBlocksPortably is markBlocks for processors that it is not written for.
func markBlocksPortably(to *mark, from *byte, blocks int) {
	marks := unsafe.Slice(to, blocks)
	text := unsafe.Slice(from, blocks*blockSize)
	for i := range marks {
		var m mark
		for at := 0; at < blockSize; at += 8 {
			w := binary.LittleEndian.Uint64(text[i*blockSize+at:])
			low := w &^ highs // without the highest bits, so that no sum carries into the next byte
			quote, escape := low^(ones*'"'), low^(ones*'\\')
			stop := ^((quote + highs - ones) & (escape + highs - ones) & (low + highs - ones*' ')) &^ w & highs
			m.stop |= gather(stop) << at
			m.high |= gather(w&highs) << at
		}
		marks[i] = m
	}
}

// gather brings the highest bits of eight bytes together.
func gather(w uint64) uint64 { return (w >> 7) * 0x0102040810204080 >> 56 }
