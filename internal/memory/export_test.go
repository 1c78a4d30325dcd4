package memory

import "time"

// Unexported functions and values for tests.
var (
	Release      = release
	NextHeadroom = nextHeadroom
)

const (
	LeastHeadroom = leastHeadroom
	MostHeadroom  = mostHeadroom
	HeadroomStep  = headroomStep
)

// Collection returns a collection.
func Collection(at time.Time, automatic, headroom int64) collection {
	return collection{at, automatic, headroom}
}
