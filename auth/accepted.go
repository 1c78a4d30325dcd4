package auth

import (
	"crypto/sha256"
	"sync"

	"pixgraph/internal/lru"
)

// accepted has the tokens of forward mode that an API has accepted. Until then a token may be invented.
//
//   - Key: the SHA-256 of the token.
//   - Bound: acceptedBytes, 224 bytes for each token.
//   - Filled by: responses of the APIs to calls with the token, so by callers whose token an API accepts.
//   - Emptied by: eviction of the least recently used token, which is accepted again by the next response. A token that
//     an API later rejects stays: whoever has it was a caller, and one API may reject what the other accepts.
type accepted struct {
	mu     sync.Mutex
	tokens *lru.Cache[[sha256.Size]byte, struct{}]
}

const (
	acceptedBytes = 3 << 20 // 14,000 tokens
	// acceptedEntry covers the key, the slot of the map, which is half empty after it grew, and the entry of the list.
	acceptedEntry = 224
)

func newAccepted() *accepted {
	return &accepted{tokens: lru.New[[sha256.Size]byte](acceptedBytes, func(struct{}) int { return acceptedEntry }, nil)}
}

func (a *accepted) has(digest [sha256.Size]byte) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, ok := a.tokens.Get(digest)
	return ok
}

func (a *accepted) add(digest [sha256.Size]byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, ok := a.tokens.Get(digest); !ok {
		a.tokens.Add("", digest, struct{}{})
	}
}
