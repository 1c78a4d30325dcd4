// Package lru is a cache that evicts values when it has too many, by their bytes or their number: those of an owner
// that has more than its share first, and otherwise the least recently used ones. It is not safe for concurrent use:
// its users lock it together with their other data.
//
// Read first: Cache.
package lru

import (
	"container/list"
	"iter"
	"slices"
)

// Cache holds the most recently used values. The package that uses it documents its key and what fills it.
//
// Each value has an owner, the caller that added it, and each owner has a share of the bytes. An owner may have more
// while others need less. When the cache is full, owners above their share lose their least recently used values, those
// with most bytes first; without such an owner, it is the least recently used value of the least recently used owner.
// So an owner that adds many values evicts its own, and one that has only a few keeps them.
type Cache[K comparable, V any] struct {
	maxBytes   int
	bytes      int // of all values and owners
	ownerBytes int
	size       func(V) int
	dropped    func(V)
	entries    map[K]*list.Element // an entry, in the list of its owner
	owners     map[string]*owner
	recent     list.List // the owners, the most recently used one first
	above      []*owner  // the owners above their share: fewer than shares, and one more while a value is added
}

type entry[K comparable, V any] struct {
	key   K
	value V
	owner *owner
}

type owner struct {
	name    string
	at      *list.Element // in Cache.recent
	bytes   int
	entries list.List // the most recently used one first
}

const (
	// shares is the divisor of the share of an owner.
	shares = 16
	// ownerBytes is an upper bound of the memory of an owner: its entries in map and list, and its name of 32 bytes.
	ownerBytes = 320
)

// New returns an empty cache. size returns the bytes of a value; after it changes, Grow must be called. dropped is
// called with each value that leaves the cache; it may be nil.
func New[K comparable, V any](maxBytes int, size func(V) int, dropped func(V)) *Cache[K, V] {
	c := Cache[K, V]{maxBytes: maxBytes, ownerBytes: ownerBytes, size: size, dropped: dropped}
	c.entries, c.owners = map[K]*list.Element{}, map[string]*owner{}
	return &c
}

// NewCounted is New for a cache that is bounded by the number of its values: each counts as one byte, owners as none.
func NewCounted[K comparable, V any](limit int, dropped func(V)) *Cache[K, V] {
	c := New[K](limit, func(V) int { return 1 }, dropped)
	c.ownerBytes = 0
	return c
}

// Get returns the value of a key, and makes it the most recently used one.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	at, ok := c.entries[key]
	if !ok {
		return value, false
	}
	e := c.entry(at)
	e.owner.entries.MoveToFront(at)
	c.recent.MoveToFront(e.owner.at)
	return e.value, true
}

// GetFor is Get for a value that callers share. If its owner is above its share, and the caller is not, the caller
// becomes its owner: others cannot make it lose what it uses.
func (c *Cache[K, V]) GetFor(caller string, key K) (value V, ok bool) {
	value, ok = c.Get(key)
	if !ok {
		return value, false
	}
	at := c.entries[key]
	e, size := c.entry(at), c.size(value)
	if e.owner.name != caller && e.owner.bytes > c.share() && c.Owned(caller)+size <= c.share() {
		c.remove(at)
		c.insert(caller, key, value, size)
		c.evict()
	}
	return value, true
}

func (c *Cache[K, V]) entry(at *list.Element) *entry[K, V] { return at.Value.(*entry[K, V]) }

func (c *Cache[K, V]) share() int { return c.maxBytes / shares }

// Owned returns the size of the values of an owner.
func (c *Cache[K, V]) Owned(name string) int {
	if o := c.owners[name]; o != nil {
		return o.bytes
	}
	return 0
}

// Has reports whether there is a value for a key. It does not count as a use of the value.
func (c *Cache[K, V]) Has(key K) bool { return c.entries[key] != nil }

// Add adds a value of an owner, "" for a cache without shares, and replaces the value of the same key. A value that is
// larger than the whole cache is not added.
func (c *Cache[K, V]) Add(owner string, key K, value V) {
	c.Remove(key)
	if size := c.size(value); size <= c.maxBytes {
		c.insert(owner, key, value, size)
		c.evict()
	}
}

func (c *Cache[K, V]) insert(name string, key K, value V, size int) {
	o := c.owners[name]
	if o == nil {
		o = &owner{name: name}
		o.at = c.recent.PushFront(o)
		c.owners[name] = o
		c.bytes += c.overhead(name)
	}
	c.recent.MoveToFront(o.at)
	c.entries[key] = o.entries.PushFront(&entry[K, V]{key, value, o})
	c.grow(o, size)
}

func (c *Cache[K, V]) overhead(name string) int {
	if name == "" {
		return 0
	}
	return c.ownerBytes
}

func (c *Cache[K, V]) grow(o *owner, bytes int) {
	before := o.bytes
	o.bytes += bytes
	c.bytes += bytes
	switch above := o.bytes > c.share(); {
	case above && before <= c.share():
		c.above = append(c.above, o)
	case !above && before > c.share():
		c.above = slices.DeleteFunc(c.above, func(other *owner) bool { return other == o })
	}
}

// Grow adds the number of bytes by which the value of a key in the cache has grown, which may be negative. Then it
// evicts values above the limit, which may include that value. size must return the new size of the value already.
func (c *Cache[K, V]) Grow(key K, bytes int) {
	c.grow(c.entry(c.entries[key]).owner, bytes)
	c.evict()
}

func (c *Cache[K, V]) evict() {
	for c.bytes > c.maxBytes {
		c.drop(c.next())
	}
}

// next returns the entry to evict next.
func (c *Cache[K, V]) next() *list.Element {
	from := c.recent.Back().Value.(*owner)
	for i, o := range c.above {
		if i == 0 || o.bytes > from.bytes {
			from = o
		}
	}
	return from.entries.Back()
}

// maxTries is the number of values that MakeRoom examines.
const maxTries = 8

// MakeRoom is for a cache, made by NewCounted, whose values must not all be evicted: before a value is added, it evicts
// one that spare accepts, if the cache is full. It reports whether there is room. Values that spare rejects become
// recently used, so that the next call skips them.
func (c *Cache[K, V]) MakeRoom(spare func(V) bool) bool {
	for range maxTries {
		if c.bytes < c.maxBytes {
			break
		}
		if at := c.next(); spare(c.entry(at).value) {
			c.drop(at)
		} else {
			c.Get(c.entry(at).key)
		}
	}
	return c.bytes < c.maxBytes
}

// Remove removes the value of a key, if there is one.
func (c *Cache[K, V]) Remove(key K) {
	if at := c.entries[key]; at != nil {
		c.drop(at)
	}
}

func (c *Cache[K, V]) drop(at *list.Element) {
	c.remove(at)
	if c.dropped != nil {
		c.dropped(c.entry(at).value)
	}
}

func (c *Cache[K, V]) remove(at *list.Element) {
	e := c.entry(at)
	delete(c.entries, e.key)
	e.owner.entries.Remove(at)
	c.grow(e.owner, -c.size(e.value))
	if e.owner.entries.Len() == 0 {
		c.recent.Remove(e.owner.at)
		delete(c.owners, e.owner.name)
		c.bytes -= c.overhead(e.owner.name)
	}
}

// All returns the values, in no order. Its user may remove them meanwhile.
func (c *Cache[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for key, at := range c.entries {
			if !yield(key, c.entry(at).value) {
				return
			}
		}
	}
}

// Len returns the number of values.
func (c *Cache[K, V]) Len() int { return len(c.entries) }

// Bytes returns the size of all values and owners.
func (c *Cache[K, V]) Bytes() int { return c.bytes }
