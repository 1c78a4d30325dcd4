package memory

// Unexported functions and values for tests.
var (
	Release      = release
	NextHeadroom = nextHeadroom
)

const (
	LeastHeadroom = leastHeadroom
	MostHeadroom  = mostHeadroom
)
