package auth

import (
	"container/list"
	"crypto/sha256"
	"sync"
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
	mu      sync.Mutex
	limit   int                                 // bytes
	bytes   int                                 // of all entries
	entries map[[sha256.Size]byte]*list.Element // of *cacheEntry
	recent  *list.List                          // last used in front
}

type cacheEntry struct {
	digest [sha256.Size]byte
	value  *verified
	bytes  int
}

func newCache(limit int) *cache {
	return &cache{limit: limit, entries: make(map[[sha256.Size]byte]*list.Element), recent: list.New()}
}

const (
	// entryOverhead covers what each entry takes whatever the token: the slot
	// of the map, which is half empty after it grew, the element of the list,
	// cacheEntry, verified, Identity and its caller key.
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
	e, ok := c.entries[digest]
	if !ok {
		return nil, false
	}
	c.recent.MoveToFront(e)
	return e.Value.(*cacheEntry).value, true
}

// add puts v in, in place of those used longest ago if the cache is full. What
// is larger than the whole cache is not put in.
func (c *cache) add(digest [sha256.Size]byte, v *verified) {
	entry := &cacheEntry{digest, v, entryBytes(v)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries[digest]; ok { // verified by two requests at once
		c.drop(e)
	}
	if entry.bytes > c.limit {
		return
	}
	for c.bytes+entry.bytes > c.limit {
		c.drop(c.recent.Back())
	}
	c.entries[digest] = c.recent.PushFront(entry)
	c.bytes += entry.bytes
}

// drop removes an entry; the caller holds the lock.
func (c *cache) drop(e *list.Element) {
	entry := c.recent.Remove(e).(*cacheEntry)
	delete(c.entries, entry.digest)
	c.bytes -= entry.bytes
}

func (c *cache) remove(digest [sha256.Size]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries[digest]; ok {
		c.drop(e)
	}
}

func (c *cache) len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.recent.Len()
}
