package telemetry

import "sync"

// other stands for every name after the first so many.
const other = "other"

// names has a value for each of the first so many keys, and one for all others: what bounds the labels of a metric whose
// values clients choose. Callers fill it with names of operations that ran, of 64 bytes at most; nothing empties it, so that
// counters never go back.
type names[K comparable, V any] struct {
	most  int
	other func() V // made when it is needed first
	make  func(K) V

	mu    sync.RWMutex
	known map[K]V
}

func newNames[K comparable, V any](most int, rest K, value func(K) V) *names[K, V] {
	return &names[K, V]{most: most, other: sync.OnceValue(func() V { return value(rest) }), make: value, known: map[K]V{}}
}

// of is the value of a key, which is admitted if there is room.
func (n *names[K, V]) of(key K) V {
	if value, ok := n.seen(key); ok {
		return value
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if value, ok := n.known[key]; ok {
		return value
	}
	if len(n.known) >= n.most {
		return n.other()
	}
	value := n.make(key)
	n.known[key] = value
	return value
}

// seen is the value of a key that was admitted before; otherwise that of all others, and false.
func (n *names[K, V]) seen(key K) (V, bool) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	if value, ok := n.known[key]; ok {
		return value, true
	}
	return n.other(), false
}
