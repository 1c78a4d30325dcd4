package wire

import (
	"encoding/binary"
	"unsafe"
)

// Eight bytes are processed as one number. Each byte of ones is 1; each byte of highs has only its highest bit set.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// markBlocksPortably is markBlocks for processors without AVX2. It collects the highest bits of the bytes of eight
// words, with the bits of each word one position below those of the next, and finally puts them into the order of the
// bytes.
func markBlocksPortably(to *mark, from *byte, blocks int) {
	marks := unsafe.Slice(to, blocks)
	texts := unsafe.Slice((*[blockSize]byte)(unsafe.Pointer(from)), blocks)
	for i := range marks {
		var stop, high uint64
		for word := range 8 {
			w := binary.LittleEndian.Uint64(texts[i][8*word:])
			low := w &^ highs // without the highest bits, so that no addition carries into the next byte
			quote, escape := low^(ones*'"'), low^(ones*'\\')
			stop = stop>>1 | ^((quote+highs-ones)&(escape+highs-ones)&(low+highs-ones*' '))&^w&highs
			high = high>>1 | w&highs
		}
		marks[i] = mark{inByteOrder(stop), inByteOrder(high)}
	}
}

// inByteOrder moves bit 8j+k to bit 8k+j, which transposes a matrix of 8 by 8 bits. Most blocks are within a long
// string of ASCII, and their masks are 0.
func inByteOrder(x uint64) uint64 {
	if x == 0 {
		return 0
	}
	t := (x ^ x>>7) & 0x00AA00AA00AA00AA
	x ^= t ^ t<<7
	t = (x ^ x>>14) & 0x0000CCCC0000CCCC
	x ^= t ^ t<<14
	t = (x ^ x>>28) & 0x00000000F0F0F0F0
	return x ^ t ^ t<<28
}
