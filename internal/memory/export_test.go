package memory

import "time"

// Release exports release, and InContainer container.
var (
	Release     = release
	InContainer = container
)

// Unexported constants for tests.
const (
	MinHeadroom  = minHeadroom
	MaxHeadroom  = maxHeadroom
	HeadroomStep = headroomStep
)

// Headroom returns the headroom after collections at the given intervals. A negative one is that of a collection that was forced.
func Headroom(intervals ...time.Duration) int64 {
	last := collection{headroom: minHeadroom}
	for _, interval := range intervals {
		now := collection{at: last.at.Add(max(interval, -interval)), automatic: last.automatic}
		if interval > 0 {
			now.automatic++
		}
		last = now.after(last)
	}
	return last.headroom
}

// Limit exports pace.limit for a process in a container.
func Limit(container, live, rest int64) int64 {
	return paceIn(Floor, container).limit(live, rest, minHeadroom)
}
