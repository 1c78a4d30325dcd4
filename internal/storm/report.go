package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"pixgraph/upstream"
)

// mostRatio is how many times longer than in calm the slowest hundredth may take in a storm.
const mostRatio = 3

// text is the report.
func (f findings) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "The core hangs for %s under %d clients; %d clients ask for the dispatcher only, every %s.\n\n", f.hang, f.clients, dispatchers, pace)
	row := func(name string, value func(s *storm) string) {
		fmt.Fprintf(&b, "%-44s", name)
		for i := range f.storms {
			fmt.Fprintf(&b, "  %-28s", value(&f.storms[i]))
		}
		b.WriteString("\n")
	}
	row("", (*storm).name)
	row("dispatcher, calm: requests, p50, p99", func(s *storm) string { return s.calm.text() })
	row("dispatcher, storm: requests, p50, p99", func(s *storm) string { return s.raging.text() })
	row("p99 storm : calm", (*storm).ratio)
	row("dispatcher, the storm beside the gateway", func(s *storm) string { return s.elsewhere.text() })
	row("dispatcher's codes", func(s *storm) string { return counted(s.raging.codes) })
	row("core's clients: answers", func(s *storm) string { return fmt.Sprint(s.crowd.Answers) })
	codes := map[string]bool{}
	for _, s := range f.storms {
		for code := range s.crowd.Codes {
			codes[code] = true
		}
	}
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		row("  "+code, func(s *storm) string { return fmt.Sprint(s.crowd.Codes[code]) })
	}
	row("calls that the core got", func(s *storm) string { return fmt.Sprint(s.calls) })
	row("under way at most, waiting at most", func(s *storm) string {
		return fmt.Sprintf("%d, %d", s.stormSeen.inFlight, s.stormSeen.waiting)
	})
	row("core's breaker", func(s *storm) string { return strings.Join(s.stormSeen.core, ", ") })
	row("dispatcher's breaker", func(s *storm) string { return strings.Join(s.stormSeen.dispatcher, ", ") })
	row("gateway's RSS, calm and peak", func(s *storm) string {
		return mebibytes(s.calmSeen.rss) + ", " + mebibytes(s.stormSeen.rss)
	})
	row("goroutines at most, calm and storm", func(s *storm) string {
		return fmt.Sprintf("%d, %d", s.calmSeen.goroutines, s.stormSeen.goroutines)
	})
	row("gateway's share of a processor, calm and storm", func(s *storm) string { return s.calmSeen.share() + ", " + s.stormSeen.share() })
	row(fmt.Sprintf("first good answer after it (wait %s)", upstream.DefaultBreakerWait), func(s *storm) string {
		return s.back.Round(time.Millisecond).String()
	})
	return b.String() + f.greed.text()
}

// ratio says how much longer than in calm the slowest hundredth took.
func (s *storm) ratio() string {
	calm := s.calm.percentile(99)
	if calm == 0 {
		return "-"
	}
	ratio := float64(s.raging.percentile(99)) / float64(calm)
	if ratio > mostRatio {
		return fmt.Sprintf("%.1f  ABOVE %d", ratio, mostRatio)
	}
	return fmt.Sprintf("%.1f", ratio)
}

func (g *greed) text() string {
	return fmt.Sprintf(`
One caller asks over %d connections, another over %d, each for 16 transactions of a core that takes %s.

small caller, alone: requests, p50, p99       %s
small caller, beside the greedy one           %s
  success                                     %.4g %%
greedy caller: answers                        %d: %s
core's calls under way, waiting at most       %d, %d
core's breaker                                %s
gateway's RSS at most                         %s
`, greedy, small, latency, g.alone.text(), g.beside.text(), g.beside.success(), g.crowd.Answers, counted(g.crowd.Codes),
		g.seen.inFlight, g.seen.waiting, strings.Join(g.seen.core, ", "), mebibytes(g.seen.rss))
}

func (s sample) text() string {
	return fmt.Sprintf("%d, %s, %s", s.answers(), millis(s.percentile(50)), millis(s.percentile(99)))
}

// success is the share of good answers, in percent.
func (s sample) success() float64 { return 100 * float64(s.codes[good]) / float64(max(s.answers(), 1)) }

func (s seen) share() string {
	return fmt.Sprintf("%.0f %%", 100*float64(s.cpu)/float64(max(s.took, 1)))
}

// counted is how often each code came.
func counted(codes map[string]int) string {
	var parts []string
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		parts = append(parts, fmt.Sprintf("%s %d", code, codes[code]))
	}
	return strings.Join(parts, ", ")
}

func millis(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond))
}

func mebibytes(n int64) string { return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20)) }

// judge fails for counts and states, never for times.
func (f findings) judge() error {
	var errs []error
	for i := range f.storms {
		if err := f.storms[i].judge(); err != nil {
			errs = append(errs, fmt.Errorf("%s clients: %w", f.storms[i].name(), err))
		}
	}
	if err := f.greed.judge(); err != nil {
		errs = append(errs, fmt.Errorf("a greedy caller: %w", err))
	}
	return errors.Join(errs...)
}
