package persisted

import (
	"container/list"
	"strings"
	"sync"
)

// store keeps the documents that clients registered.
//
//   - Key: the SHA-256 of the text.
//   - Bound: Config.MaxBytes and MaxEntries.
//   - Filled by: every caller, with valid documents within the limits that came with their hash.
//   - Emptied by: eviction of the document that was not used for the longest time. Its client sends the text once more.
//
// All callers share it. A document names fields and holds no data of anyone as long as its author uses variables; one
// who writes a tax id or a payment id into the text itself has put that into the store. It can be had out of it only by
// running it, with a token of one's own, and only by who has its SHA-256, which is to have the text already. What
// remains is that somebody who can guess a whole text can learn whether it was sent of late.
//
// Whoever may run operations can push the documents of others out with valid ones of his own. That costs the others one
// more round trip each; how fast he can is for the rate limit.
type store struct {
	maxEntries int
	maxBytes   int

	mu      sync.Mutex
	entries map[digest]*list.Element // of *registration
	order   *list.List               // the last used first
	bytes   int
}

// entryBytes is about what an entry costs besides its text: the registration, its list element, its place in the map.
const entryBytes = 256

func newStore(maxEntries, maxBytes int) *store {
	return &store{maxEntries: maxEntries, maxBytes: maxBytes, entries: map[digest]*list.Element{}, order: list.New()}
}

// get returns the document of a hash.
func (s *store) get(hash digest) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	element, ok := s.entries[hash]
	if !ok {
		return "", false
	}
	s.order.MoveToFront(element)
	return element.Value.(*registration).text, true
}

// add keeps a document, whose hash the caller has checked. One that is larger than the whole store is not kept.
func (s *store) add(hash digest, text string) {
	size := len(text) + entryBytes
	if size > s.maxBytes {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.entries[hash]; ok {
		return
	}
	// The text may be a part of a whole request body, which must not be kept with it.
	s.entries[hash] = s.order.PushFront(&registration{hash, strings.Clone(text)})
	s.bytes += size
	for len(s.entries) > s.maxEntries || s.bytes > s.maxBytes {
		oldest := s.order.Remove(s.order.Back()).(*registration)
		delete(s.entries, oldest.hash)
		s.bytes -= len(oldest.text) + entryBytes
	}
}
