package live

import "time"

// slowFactors are the statuses whose records are read more rarely (spec 3.1 to 3.4): by 5 if they wait for people, by settled
// if nothing is expected to happen. All others, also those that the spec does not list, wait for something that may happen at
// any moment.
var slowFactors = map[string]float64{
	"PROCESSING_REFUND": 5, "PROCESSING_INFRACTION": 5, "BLOCKED": 5,
	"PAID": settled, "REFUNDED": settled, "INFRACTION": settled, "FAILED": settled, // transactions and deposits
	"PROCESSED": settled, "CANCELED": settled, "REJECTED": settled, // withdrawals
	"SENT": settled, "ERROR": settled, // notifications
}

// settled is the factor of settled records for the first 3 minutes. Later ones are read half as often.
const settled = 30

// listFactor is the factor of lists.
const listFactor = 5

// factor returns the interval of a subject as a multiple of Config.Interval. quiet is the time since it changed or its newest
// stream began.
func factor(subject Subject, status string, quiet time.Duration) float64 {
	switch slow := slowFactors[status]; {
	case subject.IsList():
		return listFactor
	case slow == settled && quiet >= 3*time.Minute:
		return 2 * settled
	case slow > 0:
		return slow
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
