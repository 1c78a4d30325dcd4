package limits

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

const (
	// rememberedDocuments is how many accepted documents are remembered, as many as the executor keeps parsed.
	rememberedDocuments = 1000
	// rememberedBytes bounds their texts together: 4 KiB for each, several times what documents have.
	rememberedBytes = 4 << 20
)

// memory remembers the texts of documents that were measured and accepted, so that measuring is done once for each.
// Bounded in number and in bytes; the one that was not used for the longest time goes first.
type memory struct {
	mu    sync.Mutex
	texts *simplelru.LRU[string, struct{}]
	bytes int
}

func newMemory() *memory {
	m := &memory{}
	m.texts, _ = simplelru.NewLRU(rememberedDocuments, func(text string, _ struct{}) { // fails only for a size below 1
		m.bytes -= len(text)
	})
	return m
}

func (m *memory) has(text string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.texts.Get(text)
	return ok
}

func (m *memory) add(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.texts.Contains(text) {
		return
	}
	m.bytes += len(text)
	m.texts.Add(text, struct{}{})
	for m.bytes > rememberedBytes {
		m.texts.RemoveOldest()
	}
}
