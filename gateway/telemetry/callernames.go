package telemetry

import (
	"sync"
	"time"

	"pixgraph/internal/lru"
)

// callerNames has a value for each name that callers choose, up to a limit, and one value for all further names. It
// bounds the labels of a metric. All callers share the limit: if it is reached, a name of a caller replaces one of a
// caller that has more names. So one caller may have all names while the others need none, and a caller that invents
// names takes no names from the others, and does not replace its own: each would be new series.
//
//   - Key: the name.
//   - Bound: limit names of at most 64 bytes, each with the caller that sent it first, 150 bytes, and its series: below
//     10 KiB for an operation with an error of every code, below 1 KiB for a client.
//   - Filled by: callers with an accepted token; with auth_mode=forward, those whose token no API has accepted are one
//     caller.
//   - Emptied by: forgetAfter without use, when the metrics are read, and names of callers that have fewer. Then its
//     series are removed. A counter that comes back begins at 0, as after a restart.
type callerNames[K comparable, V any] struct {
	create func(K) V

	mu    sync.Mutex
	kept  map[K]V // always present
	known *lru.Cache[K, *callerName[K, V]]
	rest  V // of all further names
}

// callerName is a name that is known.
type callerName[K comparable, V any] struct {
	key    K
	value  V
	caller string
	used   time.Time
}

// forgetAfter is many intervals of scrapes, and less than the time between two releases of a client, which replace its
// names.
const forgetAfter = 15 * time.Minute

// newCallerNames returns names of which some are always present. remove removes the series of a name.
func newCallerNames[K comparable, V any](limit int, rest K, create func(K) V, remove func(K), kept ...K) *callerNames[K, V] {
	n := &callerNames[K, V]{create: create, kept: map[K]V{}, rest: create(rest)}
	n.known = lru.NewCounted[K](limit-len(kept), func(name *callerName[K, V]) { remove(name.key) })
	for _, key := range kept {
		n.kept[key] = create(key)
	}
	return n
}

// use calls count with the value of a name. A name that is not known is added if add says so and the limit allows. The
// series of the name cannot be removed until count returns.
func (n *callerNames[K, V]) use(key K, caller string, add bool, count func(V)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if value, ok := n.kept[key]; ok {
		count(value)
		return
	}
	name, ok := n.known.Get(key)
	now := time.Now()
	if !ok && add && n.known.MakeRoom(func(other *callerName[K, V]) bool {
		return isForgotten(other, now) || n.known.Owned(other.caller) > n.known.Owned(caller)+1
	}) {
		name, ok = &callerName[K, V]{key: key, value: n.create(key), caller: caller}, true
		n.known.Add(caller, key, name)
	}
	if !ok {
		count(n.rest)
		return
	}
	name.used = now
	count(name.value)
}

func isForgotten[K comparable, V any](name *callerName[K, V], now time.Time) bool {
	return now.Sub(name.used) >= forgetAfter
}

// forget removes the names that were not used for forgetAfter.
func (n *callerNames[K, V]) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	for key, name := range n.known.All() {
		if isForgotten(name, now) {
			n.known.Remove(key)
		}
	}
}
