package persisted

import (
	"strings"
	"sync"

	"pixgraph/internal/lru"
)

// store holds the documents that clients registered.
//
//   - Key: the SHA-256 of the text.
//   - Bound: Config.MaxBytes, with entryBytes for each document.
//   - Filled by: every caller, with valid documents within the limits that were sent with their hash.
//   - Emptied by: eviction, by shares of callers (package lru). The client of the document then sends the text again.
//
// All callers share it. A document names fields; it holds personal data only if its author writes a tax id or a payment
// id into the text instead of using variables. A stored document can only be run, with a token and with its SHA-256,
// and only clients that know the text know the hash. One risk remains: a caller that guesses a whole text can learn
// whether it was sent recently.
type store struct {
	mu    sync.Mutex
	texts *lru.Cache[digest, string]
}

// entryBytes is an upper bound of the memory of an entry without its text: its key, list element and map entry.
const entryBytes = 256

func newStore(maxBytes int) *store {
	return &store{texts: lru.New[digest](maxBytes, func(text string) int { return len(text) + entryBytes }, nil)}
}

// get returns the document of a hash, for a caller.
func (s *store) get(caller string, hash digest) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.texts.GetFor(caller, hash)
}

// add stores a document whose hash the caller has checked. A document larger than the whole store is not stored.
func (s *store) add(caller string, hash digest, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.texts.Has(hash) {
		s.texts.Add(caller, hash, strings.Clone(text)) // the text may be a substring of a request body, which a clone releases
	}
}
