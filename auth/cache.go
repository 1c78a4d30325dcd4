package auth

import (
	"crypto/sha256"
	"sync"

	"pixgraph/internal/lru"
)

// cache has what is known of tokens, by the SHA-256 of the token. It outlives requests.
type cache[V any] struct {
	mu     sync.Mutex
	tokens *lru.Cache[[sha256.Size]byte, V]
}

// newCache returns the cache of verified tokens.
//
//   - Key: the SHA-256 of the token.
//   - Bound: the sum of the sizes of its entries (entryBytes) is at most limit bytes.
//   - Filled by: tokens with a valid signature, so a flood of rejected tokens evicts nothing. Callers have shares
//     (package lru): one with many valid tokens evicts its own.
//   - Emptied by: eviction; the token must then be verified again. A reader removes an entry that has expired, or whose
//     key is no longer published.
func newCache(limit int) *cache[*verified] {
	return &cache[*verified]{tokens: lru.New[[sha256.Size]byte](limit, entryBytes, nil)}
}

// newAccepted returns the tokens of forward mode that an API has accepted. Until then a token may be invented.
//
//   - Key: the SHA-256 of the token.
//   - Bound: acceptedBytes, 224 bytes for each token.
//   - Filled by: responses of the APIs to calls with the token, so by callers whose token an API accepts.
//   - Emptied by: eviction of the least recently used token, which is accepted again by the next response. A token that
//     an API later rejects stays: its holder was a caller, and one API may reject what the other accepts.
func newAccepted() *cache[struct{}] {
	size := func(struct{}) int { return acceptedEntry }
	return &cache[struct{}]{tokens: lru.New[[sha256.Size]byte](acceptedBytes, size, nil)}
}

const (
	// cacheBytes is the size of the cache: 8,000 tokens of 1 KiB, or 800 of the largest ones.
	cacheBytes    = 16 << 20
	acceptedBytes = 3 << 20 // 14,000 tokens
	// acceptedEntry covers the key, the slot of the map, which is half empty after it grew, and the entry of the list.
	acceptedEntry = 224
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
	texts := len(*id.bearer) + len(id.issuer)
	for _, scope := range id.scopes {
		texts += len(scope)
	}
	return entryOverhead + texts + texts/8 + cap(id.scopes)*scopeOverhead
}

func (c *cache[V]) get(digest [sha256.Size]byte) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tokens.Get(digest)
}

// add adds a value of an owner, and evicts others if the cache is full. A value larger than the cache is not added.
func (c *cache[V]) add(owner string, digest [sha256.Size]byte, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tokens.Add(owner, digest, v)
}

func (c *cache[V]) remove(digest [sha256.Size]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tokens.Remove(digest)
}

func (c *cache[V]) len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tokens.Len()
}
