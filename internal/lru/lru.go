// Package lru is a cache that evicts the least recently used entries when it has too many bytes. It is hashicorp's LRU, which
// counts entries, with a size for each entry. It is not safe for concurrent use: its users lock it together with what they
// keep next to it.
//
// Read first: Cache.
package lru

import (
	"math"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Cache keeps the values that were used last. Its keys, and who fills it, are its user's to document.
type Cache[K comparable, V any] struct {
	maxBytes int
	bytes    int // of all values
	size     func(V) int
	entries  *simplelru.LRU[K, V]
}

// New returns an empty cache. size returns the bytes of a value, which must not change but by Grow; dropped, if it is not
// nil, is called with each value that leaves the cache.
func New[K comparable, V any](maxBytes int, size func(V) int, dropped func(V)) *Cache[K, V] {
	c := &Cache[K, V]{maxBytes: maxBytes, size: size}
	c.entries, _ = simplelru.NewLRU(math.MaxInt, func(_ K, value V) { // fails only for a length below 1
		c.bytes -= size(value)
		if dropped != nil {
			dropped(value)
		}
	})
	return c
}

// Get returns the value of a key, which is then the last used one.
func (c *Cache[K, V]) Get(key K) (V, bool) { return c.entries.Get(key) }

// Has reports whether there is a value for a key, and does not count as a use of it.
func (c *Cache[K, V]) Has(key K) bool { return c.entries.Contains(key) }

// Add adds a value, in place of the one of the same key. A value that is larger than the whole cache is not added.
func (c *Cache[K, V]) Add(key K, value V) {
	c.entries.Remove(key)
	size := c.size(value)
	if size > c.maxBytes {
		return
	}
	c.entries.Add(key, value)
	c.Grow(size)
}

// Grow counts bytes that a value in the cache takes more, or less where they are negative, and evicts what has no room any
// more, which may be that value. The value's size must tell the new number already.
func (c *Cache[K, V]) Grow(bytes int) {
	for c.bytes += bytes; c.bytes > c.maxBytes; {
		c.entries.RemoveOldest()
	}
}

// Remove removes the value of a key, if there is one.
func (c *Cache[K, V]) Remove(key K) { c.entries.Remove(key) }

// Len is the number of values.
func (c *Cache[K, V]) Len() int { return c.entries.Len() }

// Bytes is the size of all values.
func (c *Cache[K, V]) Bytes() int { return c.bytes }
