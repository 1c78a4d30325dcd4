package wire

import "golang.org/x/sys/cpu"

// markBlocks marks whole blocks, by the widest instructions that the processor has.
func markBlocks(to *mark, from *byte, blocks int) {
	if cpu.X86.HasAVX2 {
		markBlocks32(to, from, blocks)
		return
	}
	markBlocks16(to, from, blocks)
}

// markBlocks32 looks at 32 bytes at a time (AVX2).
//
//go:noescape
func markBlocks32(to *mark, from *byte, blocks int)

// markBlocks16 looks at 16 bytes at a time (SSE2, which every amd64 processor has).
//
//go:noescape
func markBlocks16(to *mark, from *byte, blocks int)
