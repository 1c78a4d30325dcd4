//go:build !amd64

package wire

// markBlocks marks whole blocks.
func markBlocks(to *mark, from *byte, blocks int) { markBlocksPortably(to, from, blocks) }
