package auth

import (
	"crypto/sha256"
	"sync"

	"pixgraph/internal/lru"
)

// cache remembers the tokens that were verified last.
//
// It outlives requests. Key: the SHA-256 of the token. Bound: the sum of what
// its entries take (entryBytes) is at most limit bytes. Only tokens with a valid
// signature fill it: a flood of refused tokens drives out none. A caller with
// many valid tokens drives out those of others, which costs them one
// verification each and nothing else, since keys are kept apart from it. The
// least recently used entry makes room for a new one; the reader removes an
// entry that has expired or lost its key.
type cache struct {
	mu     sync.Mutex
	tokens *lru.Cache[[sha256.Size]byte, *verified]
}

func newCache(limit int) *cache {
	return &cache{tokens: lru.New[[sha256.Size]byte](limit, entryBytes, nil)}
}

const (
	// entryOverhead covers what each entry takes whatever the token: the slot
	// of the map, which is half empty after it grew, the entry of the list,
	// verified, Identity and its caller key.
	entryOverhead = 512
	// scopeOverhead is the header of a string and what the allocator rounds up.
	scopeOverhead = 16 + 16
)

// entryBytes estimates what v takes in the cache, from above: the token, and the
// claims that are kept of it. Texts get an eighth more, which the allocator may
// round them up by.
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

// add puts v in, in place of those used longest ago if the cache is full. What
// is larger than the whole cache is not put in.
func (c *cache) add(digest [sha256.Size]byte, v *verified) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tokens.Add(digest, v)
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
