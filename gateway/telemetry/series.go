package telemetry

import "sync"

// other is the label of every name beyond the limit.
const other = "other"

// names has a value for each key up to a limit, and one value for all further keys. It bounds the labels of a metric
// whose values come from APIs, or from the paths and statuses of responses.
//
//   - Key: the labels.
//   - Bound: limit keys, below 2 KiB each with their series.
//   - Filled by: responses to every client, and exchanges with the APIs.
//   - Emptied by: nothing, so that counters never decrease.
type names[K comparable, V any] struct {
	limit int
	other func() V // created on first use
	make  func(K) V

	mu    sync.RWMutex
	known map[K]V
}

func newNames[K comparable, V any](limit int, rest K, value func(K) V) *names[K, V] {
	return &names[K, V]{limit: limit, other: sync.OnceValue(func() V { return value(rest) }), make: value, known: map[K]V{}}
}

// of is the value of a key. The key is added if the limit allows.
func (n *names[K, V]) of(key K) V {
	if value, ok := n.seen(key); ok {
		return value
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if value, ok := n.known[key]; ok {
		return value
	}
	if len(n.known) >= n.limit {
		return n.other()
	}
	value := n.make(key)
	n.known[key] = value
	return value
}

// seen is the value of a known key; otherwise the shared value, and false.
func (n *names[K, V]) seen(key K) (V, bool) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	if value, ok := n.known[key]; ok {
		return value, true
	}
	return n.other(), false
}
