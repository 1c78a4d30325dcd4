package persisted

import (
	"strings"
	"sync"

	"pixgraph/internal/lru"
)

// store keeps the documents that clients registered.
//
//   - Key: the SHA-256 of the text.
//   - Bound: Config.MaxBytes, with entryBytes for each document.
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
	mu    sync.Mutex
	texts *lru.Cache[digest, string]
}

// entryBytes is what an entry takes besides its text, from above: its key, its places in the list and in the map.
const entryBytes = 256

func newStore(maxBytes int) *store {
	return &store{texts: lru.New[digest](maxBytes, func(text string) int { return len(text) + entryBytes }, nil)}
}

// get returns the document of a hash.
func (s *store) get(hash digest) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.texts.Get(hash)
}

// add keeps a document, whose hash the caller has checked. One that is larger than the whole store is not kept.
func (s *store) add(hash digest, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.texts.Has(hash) {
		s.texts.Add(hash, strings.Clone(text)) // the text may be a part of a whole request body, which must not be kept with it
	}
}
