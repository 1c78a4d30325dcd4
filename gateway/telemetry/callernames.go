package telemetry

import (
	"sync"
	"time"
)

// callerNames has a value for each name that callers choose, up to a limit, and one value for all further names. It
// bounds the labels of a metric. All callers share the limit: if it is reached, a name of a caller replaces one of the
// caller that has the most names, until both have equally many. So one caller may have all names while the others need
// none, and a caller that invents names takes none from the others.
//
//   - Key: the name.
//   - Bound: limit names of at most 64 bytes, each with the caller that sent it first, 150 bytes, and its series: below
//     10 KiB for an operation with an error of every code, below 1 KiB for a client.
//   - Filled by: callers with an accepted token; with auth_mode=forward, those whose token no API has accepted are one
//     caller.
//   - Emptied by: forgetAfter without use, when the metrics are read, and names of callers that have fewer. Then its
//     series are removed. A counter that comes back begins at 0, as after a restart.
type callerNames[K comparable, V any] struct {
	limit  int
	create func(K) V
	remove func(K) // removes the series of a name

	mu    sync.Mutex
	known map[K]*callerName[V]
	rest  V // of all further names
}

// callerName is a name that is known.
type callerName[V any] struct {
	value  V
	caller string
	used   time.Time
	kept   bool // always present
}

// forgetAfter is many intervals of scrapes, and less than the time between two releases of a client, which replace its
// names.
const forgetAfter = 15 * time.Minute

// newCallerNames returns names of which some are always present.
func newCallerNames[K comparable, V any](limit int, rest K, create func(K) V, remove func(K), kept ...K) *callerNames[K, V] {
	n := &callerNames[K, V]{limit: limit, create: create, remove: remove, known: map[K]*callerName[V]{}, rest: create(rest)}
	for _, key := range kept {
		n.known[key] = &callerName[V]{value: create(key), kept: true}
	}
	return n
}

// use calls count with the value of a name. A name that is not known is added if add says so and the limit allows. The
// series of the name cannot be removed until count returns.
func (n *callerNames[K, V]) use(key K, caller string, add bool, count func(V)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	name, now := n.known[key], time.Now()
	if name == nil && add && n.room(caller, now) {
		name = &callerName[V]{value: n.create(key), caller: caller}
		n.known[key] = name
	}
	if name == nil {
		count(n.rest)
		return
	}
	name.used = now
	count(name.value)
}

// forget removes the names that were not used for forgetAfter.
func (n *callerNames[K, V]) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.forgetAt(time.Now())
}

func (n *callerNames[K, V]) forgetAt(now time.Time) {
	for key, name := range n.known {
		if !name.kept && now.Sub(name.used) >= forgetAfter {
			n.drop(key)
		}
	}
}

func (n *callerNames[K, V]) drop(key K) {
	delete(n.known, key)
	n.remove(key)
}

// room makes room for a name of a caller, and reports whether there is room.
func (n *callerNames[K, V]) room(caller string, now time.Time) bool {
	if len(n.known) < n.limit {
		return true
	}
	if n.forgetAt(now); len(n.known) < n.limit {
		return true
	}
	has, most := map[string]int{}, 0
	for _, name := range n.known {
		if !name.kept {
			has[name.caller]++
			most = max(most, has[name.caller])
		}
	}
	if most <= has[caller]+1 {
		return false
	}
	var oldest K
	var used time.Time
	for key, name := range n.known {
		if !name.kept && has[name.caller] == most && (used.IsZero() || name.used.Before(used)) {
			oldest, used = key, name.used
		}
	}
	n.drop(oldest)
	return true
}
