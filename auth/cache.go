package auth

import (
	"crypto/sha256"
	"sync"

	"pixgraph/internal/lru"
)

// cache holds the most recently used verified tokens.
//
// It outlives requests.
//
//   - Key: the SHA-256 of the token.
//   - Bound: the sum of the sizes of its entries (entryBytes) is at most limit bytes.
//   - Filled by: tokens with a valid signature, so a flood of rejected tokens evicts nothing. Callers have shares
//     (package lru): one with many valid tokens evicts its own.
//   - Emptied by: eviction; the token must then be verified again. A reader removes an entry that has expired, or whose
//     key is no longer published.
type cache struct {
	mu     sync.Mutex
	tokens *lru.Cache[[sha256.Size]byte, *verified]
}

// cacheBytes is the size of the cache: 8,000 tokens of 1 KiB, or 800 of the largest ones.
const cacheBytes = 16 << 20

func newCache(limit int) *cache {
	return &cache{tokens: lru.New[[sha256.Size]byte](limit, entryBytes, nil)}
}

const (
	// entryOverhead covers the fixed cost of an entry, whatever its token: the slot of the map, which is half empty
	// after it grew, the entry of the list, the entry, verified, Identity and its caller key.
	entryOverhead = 512
	// scopeOverhead is the header of a string and the rounding of the allocator.
	scopeOverhead = 16 + 16
)

// entryBytes returns an upper bound of the size of v in the cache: the token, and the claims that are kept of it. An
// eighth is added for strings, because the allocator may round them up by that much.
func entryBytes(v *verified) int {
	id := v.identity
	texts := len(*id.bearer) + len(id.subject) + len(id.issuer)
	for _, scope := range id.scopes {
		texts += len(scope)
	}
	return entryOverhead + texts + texts/8 + cap(id.scopes)*scopeOverhead
}

func (c *cache) get(digest [sha256.Size]byte) (*verified, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tokens.Get(digest)
}

// add inserts v, and evicts others if the cache is full. An entry larger than the whole cache
// is not inserted.
func (c *cache) add(digest [sha256.Size]byte, v *verified) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tokens.Add(v.identity.caller, digest, v)
}

func (c *cache) remove(digest [sha256.Size]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tokens.Remove(digest)
}

func (c *cache) len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tokens.Len()
}
