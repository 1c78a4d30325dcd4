package wire

// markBlocks marks whole blocks. Every amd64 processor has the instructions that it uses (SSE2).
//
//go:noescape
func markBlocks(to *mark, from *byte, blocks int)
