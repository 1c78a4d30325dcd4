package telemetry

import "sync"

// other is the label of every name beyond the limit, and of every path that is not served.
const other = "other"

// series has the metrics of each key, so that they are found without an allocation.
//
//   - Key: the labels.
//   - Bound: the labels come from short lists, whatever a client or an API sends: below 500 keys, with their series
//     below 2 KiB each.
//   - Filled by: responses to every client, and exchanges with the APIs.
//   - Emptied by: nothing, so that counters never decrease.
type series[K comparable, V any] struct {
	create func(K) V

	mu    sync.RWMutex
	known map[K]V
}

func newSeries[K comparable, V any](create func(K) V) *series[K, V] {
	return &series[K, V]{create: create, known: map[K]V{}}
}

// of is the value of a key.
func (s *series[K, V]) of(key K) V {
	s.mu.RLock()
	value, ok := s.known[key]
	s.mu.RUnlock()
	if !ok {
		s.mu.Lock()
		defer s.mu.Unlock()
		value = s.create(key) // the same for the same labels
		s.known[key] = value
	}
	return value
}
