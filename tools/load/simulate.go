package main

import (
	"container/heap"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
)

// simulate simulates fleets of replicas that share the rate of a caller and hints through one Redis, in virtual time.
// It models graph/guard/limits, internal/fleet and upstream/live, whose times and sizes it has. Its figures depend on
// its flags alone, not on the machine.
type simulate struct {
	*tool
	seeds      uint64  // runs of each case of rates
	latency    float64 // largest one-way latency to Redis, in seconds
	records    int
	deliveries float64
}

func newSimulate(t *tool, flags *flag.FlagSet) func(context.Context) error {
	s := &simulate{tool: t}
	t.alone = true
	flags.Uint64Var(&s.seeds, "seeds", 3, "`number` of runs with other random numbers, for the averages of rates")
	flags.Float64Var(&s.latency, "latency", 0.002, "the largest latency from a replica to Redis, and back, in `seconds`")
	flags.IntVar(&s.records, "records", 10_000, "`number` of records that streams watch")
	flags.Float64Var(&s.deliveries, "deliveries", 500_000, "`number` of small messages that one core of Redis delivers in a second")
	return s.run
}

// run writes the tables.
func (s *simulate) run(ctx context.Context) error {
	for _, t := range []struct {
		title string
		write func() string
	}{
		{"Rates, in % of the rate: average, worst second; settlements/s", func() string { return s.rates(false, 2, 10, 0) }},
		{"Rates from an outage of Redis of 10 s to 5 s after it, in % of the rate: average, largest average of the first 3.5 s or more",
			func() string { return s.rates(true, 2, 10) }},
		{"Hints", s.hints},
		{"Hints in several channels", s.channels},
		{"Limits of one channel", s.limits},
	} {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.logf("%s", t.title)
		if _, err := io.WriteString(s.stdout, t.title+":\n\n"+t.write()+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// fleetSizes are the numbers of replicas that are simulated.
var fleetSizes = [...]int{3, 10, 100, 1000}

// bySize returns some cells of a row, and one for each size of a fleet.
func bySize(cells []string, cell func(replicas int) string) []string {
	for _, replicas := range fleetSizes {
		cells = append(cells, cell(replicas))
	}
	return cells
}

// timeline is a virtual clock in seconds.
type timeline struct {
	*rand.Rand
	now    float64
	events events
}

func newTimeline(seed uint64) *timeline { return &timeline{Rand: rand.New(rand.NewPCG(seed, 0))} }

// at has a function called at a time that is not before now.
func (t *timeline) at(at float64, do func()) { heap.Push(&t.events, event{at, do}) }

// runTo handles the events up to a time.
func (t *timeline) runTo(end float64) {
	for len(t.events) > 0 && t.events[0].at <= end {
		next := heap.Pop(&t.events).(event)
		t.now = next.at
		next.do()
	}
	t.now = end
}

// repeat calls a function at random times, so often a second on average.
func (t *timeline) repeat(perSecond float64, do func()) {
	t.at(t.now+t.ExpFloat64()/perSecond, func() {
		do()
		t.repeat(perSecond, do)
	})
}

type event struct {
	at float64
	do func()
}

// events is a heap.
type events []event

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i].at < e[j].at }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)        { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := len(*e) - 1
	popped := (*e)[last]
	(*e)[last], *e = event{}, (*e)[:last]
	return popped
}

// text returns numbers with so many decimals.
func text(decimals int, numbers ...float64) string {
	var texts []string
	for _, n := range numbers {
		texts = append(texts, fmt.Sprintf("%.*f", decimals, n))
	}
	return strings.Join(texts, ", ")
}
