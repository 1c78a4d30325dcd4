package wire

import "golang.org/x/sys/cpu"

// markBlocks computes the marks of complete blocks.
func markBlocks(to *mark, from *byte, blocks int) {
	if cpu.X86.HasAVX2 {
		markBlocksAVX2(to, from, blocks)
		return
	}
	markBlocksPortably(to, from, blocks)
}

// markBlocksAVX2 processes 32 bytes at a time.
//
//go:noescape
func markBlocksAVX2(to *mark, from *byte, blocks int)
