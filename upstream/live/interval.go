package live

import "time"

// slowFactors are the statuses whose records are read more rarely (spec 3.1 to 3.4): by slow if they wait for people,
// by settled if nothing is expected to happen. All others, also those that the spec does not list, wait for something
// that may happen at any moment.
var slowFactors = map[string]float64{
	"PROCESSING_REFUND": slow, "PROCESSING_INFRACTION": slow, "BLOCKED": slow,
	"PAID": settled, "REFUNDED": settled, "INFRACTION": settled, "FAILED": settled, // transactions and deposits
	"PROCESSED": settled, "CANCELED": settled, "REJECTED": settled, // withdrawals
	"SENT": settled, "ERROR": settled, // notifications
}

const (
	slow    = 5 // also the factor of lists
	settled = 30
)

// factor returns the interval of a subject as a multiple of Config.Interval. quiet is the time since it changed or its
// newest stream began.
func factor(subject Subject, status string, quiet time.Duration) float64 {
	if subject.isList() || slowFactors[status] == slow {
		return slow
	}
	return max(1, slowFactors[status]) * quietFactor(quiet)
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
