package auth

import (
	"container/list"
	"crypto/sha256"
	"sync"
)

// cache remembers the tokens verified last, by digest. Refused tokens are never
// put in, so that a flood of them drives out none that is good. What is in may
// have expired or lost its key meanwhile: the reader checks.
type cache struct {
	mu      sync.Mutex
	size    int
	entries map[[sha256.Size]byte]*list.Element // of cacheEntry
	recent  *list.List                          // last used in front
}

type cacheEntry struct {
	digest [sha256.Size]byte
	value  *verified
}

func newCache(size int) *cache {
	return &cache{size: size, entries: make(map[[sha256.Size]byte]*list.Element), recent: list.New()}
}

func (c *cache) get(digest [sha256.Size]byte) (*verified, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[digest]
	if !ok {
		return nil, false
	}
	c.recent.MoveToFront(e)
	return e.Value.(cacheEntry).value, true
}

// add puts v in, in place of the one used longest ago if the cache is full.
func (c *cache) add(digest [sha256.Size]byte, v *verified) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries[digest]; ok { // verified twice at once
		e.Value = cacheEntry{digest, v}
		return
	}
	if c.recent.Len() >= c.size {
		oldest := c.recent.Back()
		delete(c.entries, oldest.Value.(cacheEntry).digest)
		c.recent.Remove(oldest)
	}
	c.entries[digest] = c.recent.PushFront(cacheEntry{digest, v})
}

func (c *cache) remove(digest [sha256.Size]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries[digest]; ok {
		delete(c.entries, digest)
		c.recent.Remove(e)
	}
}

func (c *cache) len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.recent.Len()
}
