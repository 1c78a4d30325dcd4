package live

import (
	"slices"
	"time"
)

// The factors of statuses that wait for people, and of lists, and those of statuses after which nothing is expected to
// happen. All others, also those that the spec does not list, wait for something that may happen at any moment.
const (
	slow    = 5
	settled = 30
)

// factor returns the interval of a subject as a multiple of Config.Interval. quiet is the time since it changed or its
// newest stream began.
func factor(subject Subject, status string, quiet time.Duration) float64 {
	switch {
	case subject.isList(), slices.Contains(subject.of.Waiting, status):
		return slow
	case slices.Contains(subject.of.Settled, status):
		return settled * quietFactor(quiet)
	}
	return quietFactor(quiet)
}

func quietFactor(quiet time.Duration) float64 {
	switch {
	case quiet < 3*time.Minute:
		return 1
	case quiet < 10*time.Minute:
		return 2
	default:
		return 5
	}
}

// failingFactor bounds the factor while an answer fails, so that streams are current soon after the API recovers.
const failingFactor = 5

// limitedFactor is the pause of a token after a 429 that names no time, as a multiple of Config.Interval.
const limitedFactor = 5
