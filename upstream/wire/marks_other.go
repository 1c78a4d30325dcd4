//go:build !amd64

package wire

// markBlocks computes the marks of complete blocks.
func markBlocks(to *mark, from *byte, blocks int) { markBlocksPortably(to, from, blocks) }
