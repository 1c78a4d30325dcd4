// Package lru is a cache that evicts the least recently used entries when it has too many bytes. It adds a size in
// bytes to the entries of hashicorp's LRU, which counts entries. It is not safe for concurrent use: its users lock it
// together with their other data.
//
// Read first: Cache.
package lru

import (
	"math"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Cache holds the most recently used values. The package that uses it documents its key and what fills it.
type Cache[K comparable, V any] struct {
	maxBytes int
	bytes    int // of all values
	size     func(V) int
	entries  *simplelru.LRU[K, V]
}

// New returns an empty cache. size returns the bytes of a value; after it changes, Grow must be called. dropped is
// called with each value that leaves the cache; it may be nil.
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

// Get returns the value of a key, and makes it the most recently used one.
func (c *Cache[K, V]) Get(key K) (V, bool) { return c.entries.Get(key) }

// Has reports whether there is a value for a key. It does not count as a use of the value.
func (c *Cache[K, V]) Has(key K) bool { return c.entries.Contains(key) }

// Add adds a value, and replaces the value of the same key. A value that is larger than the whole cache is not added.
func (c *Cache[K, V]) Add(key K, value V) {
	c.entries.Remove(key)
	size := c.size(value)
	if size > c.maxBytes {
		return
	}
	c.entries.Add(key, value)
	c.Grow(size)
}

// Grow adds the number of bytes by which a value in the cache has grown, which may be negative. Then it evicts values
// above the limit, which may include that value. size must return the new size of the value already.
func (c *Cache[K, V]) Grow(bytes int) {
	for c.bytes += bytes; c.bytes > c.maxBytes; {
		c.entries.RemoveOldest()
	}
}

// Remove removes the value of a key, if there is one.
func (c *Cache[K, V]) Remove(key K) { c.entries.Remove(key) }

// Len returns the number of values.
func (c *Cache[K, V]) Len() int { return c.entries.Len() }

// Bytes returns the size of all values.
func (c *Cache[K, V]) Bytes() int { return c.bytes }
