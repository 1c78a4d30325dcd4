package settings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// minDuration is the smallest duration that a setting accepts. Nothing in the gateway takes less than a millisecond,
// so a smaller value is probably in the wrong unit.
const minDuration = time.Millisecond

// duration is a duration of at most highest. If lowest is 0, it may also be 0.
func duration(lowest, highest time.Duration) kind[time.Duration] {
	accepts := "a duration such as 10s or 500ms, from " + short(minDuration) + " to " + short(highest)
	if lowest == 0 {
		accepts += ", or 0s for none"
	}
	return kind[time.Duration]{
		word: "duration", accepts: accepts, format: short,
		parse: func(text string) (time.Duration, error) {
			d, err := time.ParseDuration(text)
			if err == nil && (d < lowest || d > highest || d != 0 && d < minDuration) {
				err = errValue
			}
			return d, err
		},
	}
}

// short formats a duration without its zero parts: 5m for 5m0s.
func short(d time.Duration) string {
	return strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(d.String())
}

// The largest values of numbers. They prevent an overflow in sums, products and 32-bit integers on every platform.
const (
	// maxMemory is more than a machine has. The memory is not allocated in advance.
	maxMemory = 1 << 40
	// maxCount is far more than one process can serve.
	maxCount = 1_000_000
)

// number is a whole number.
func number(lowest, highest int) kind[int] {
	return kind[int]{
		word: "number", accepts: fmt.Sprintf("a number from %d to %d", lowest, highest), format: strconv.Itoa,
		parse: func(text string) (int, error) {
			n, err := strconv.Atoi(text)
			if err == nil && (n < lowest || n > highest || text != strconv.Itoa(n)) { // 0123 may be meant as octal
				err = errValue
			}
			return n, err
		},
	}
}

// unit is a unit of sizes: 1<<shift bytes.
type unit struct {
	name  string
	shift int
}

// units returns the units, the largest first.
func units() []unit { return []unit{{"TiB", 40}, {"GiB", 30}, {"MiB", 20}, {"KiB", 10}, {"", 0}} }

// size is a positive number of bytes.
func size() kind[int64] {
	return kind[int64]{
		word: "size", accepts: "a size such as 16MiB or 500KiB, at most " + formatSize(maxMemory), format: formatSize,
		parse: func(text string) (int64, error) {
			for _, unit := range units() {
				digits, ok := strings.CutSuffix(text, unit.name)
				if !ok {
					continue
				}
				n, err := strconv.ParseInt(digits, 10, 64)
				if err == nil && (n <= 0 || n > maxMemory>>unit.shift || digits != strconv.FormatInt(n, 10)) {
					err = errValue
				}
				return n << unit.shift, err
			}
			return 0, errValue
		},
	}
}

// formatSize writes a size in the largest unit of which it is a multiple.
func formatSize(bytes int64) string {
	i := slices.IndexFunc(units(), func(u unit) bool { return bytes>>u.shift<<u.shift == bytes })
	return strconv.FormatInt(bytes>>units()[i].shift, 10) + units()[i].name
}

const (
	// minRate refills the largest bucket in 32 years, so every waiting time fits a time.Duration.
	minRate = 1e-3
	// maxRate is more than one gateway can serve, and excludes infinity.
	maxRate = 1e6
)

// perSecond is a rate; 0 means no limit.
func perSecond() kind[float64] {
	return kind[float64]{
		word: "number", accepts: "a number such as 5 or 0.5, from 0.001 to 1000000, or 0 for no limit",
		format: func(rate float64) string { return strconv.FormatFloat(rate, 'g', -1, 64) },
		parse: func(text string) (float64, error) {
			rate, err := strconv.ParseFloat(text, 64)
			if err == nil && rate != 0 && !(rate >= minRate && rate <= maxRate) {
				err = errValue
			}
			return rate, err
		},
	}
}
