package main

import (
	"math"
	"slices"
)

// Times of internal/fleet and upstream/live, in seconds.
const (
	collectFor = 0.01
	hintEvery  = 0.25
	hintWithin = 0.05
	maxHints   = 64   // in a message
	readTakes  = 0.06 // the latency of an API
	pollEvery  = 1
	livePolls  = 1000 // reads of a replica in a second
)

// hintCase is a fleet whose streams watch records that change.
type hintCase struct {
	replicas, records, streams int     // streams of each record, on replicas at random
	changes, webhooks          float64 // changes a second, and webhooks for each
	latency                    float64
	channels                   int // 0 without hints
}

// hintFleet is the simulation of a case.
type hintFleet struct {
	*timeline
	hintCase
	all         []*hintReplica
	watches     [][]*watch // by record
	subscribers []int      // by channel

	hintCounts
	delays []float64 // from a change to its event
}

type hintCounts struct {
	published, delivered, bytes float64 // of messages
	reads, nudges, changed      float64 // nudges: reads by a hint or a webhook
}

type hintReplica struct {
	free   float64         // when the next read may begin
	hinted map[int]float64 // when a record was or will be hinted at
	batch  []int           // records of the next message
}

// watch is a record at a replica whose streams watch it.
type watch struct {
	*hintFleet
	replica     *hintReplica
	record      int
	unseen      []float64 // times of changes
	due, nudged float64
	queued      bool
	hinted      bool
}

func newHintFleet(c hintCase, seed uint64) *hintFleet {
	f := &hintFleet{timeline: newTimeline(seed), hintCase: c, watches: make([][]*watch, c.records), subscribers: make([]int, max(1, c.channels))}
	for range c.replicas {
		f.all = append(f.all, &hintReplica{hinted: map[int]float64{}})
	}
	subscribed := map[[2]int]bool{}
	for record := range f.watches {
		for range c.streams {
			at := f.IntN(c.replicas)
			r := f.all[at]
			if slices.ContainsFunc(f.watches[record], func(w *watch) bool { return w.replica == r }) {
				continue // both streams have the same reads
			}
			w := &watch{hintFleet: f, replica: r, record: record, due: math.Inf(1), nudged: -1}
			f.watches[record] = append(f.watches[record], w)
			w.schedule(pollEvery * f.Float64())
			if key := [2]int{f.channel(record), at}; !subscribed[key] {
				subscribed[key] = true
				f.subscribers[key[0]]++
			}
		}
	}
	f.repeat(c.changes, f.change)
	return f
}

func (f *hintFleet) channel(record int) int { return record % len(f.subscribers) }

// change changes a record, and sends a webhook to a replica.
func (f *hintFleet) change() {
	record := f.IntN(f.records)
	f.changed++
	for _, w := range f.watches[record] {
		w.unseen = append(w.unseen, f.now)
	}
	if f.Float64() < f.webhooks {
		r := f.all[f.IntN(f.replicas)]
		f.hint(r, record)
		for _, w := range f.watches[record] {
			if w.replica == r {
				w.nudge(f.now)
			}
		}
	}
}

// schedule moves the next read forward to a time.
func (w *watch) schedule(at float64) {
	w.due = at
	w.at(at, func() {
		if w.due != at || w.queued {
			return
		}
		w.queued = true
		w.replica.free = max(w.now, w.replica.free) + 1.0/livePolls
		w.at(w.replica.free-1.0/livePolls, w.read)
	})
}

// nudge has the record read at a time because of a hint or a webhook.
func (w *watch) nudge(at float64) {
	if at = max(at, w.nudged+hintEvery); !w.queued && at < w.due {
		w.nudged, w.hinted = at, true
		w.schedule(at)
	}
}

// read reads the record. It hints at a change that no hint announced.
func (w *watch) read() {
	w.reads++
	if w.hinted {
		w.nudges++
	}
	if len(w.unseen) > 0 && !w.hinted {
		w.at(w.now+readTakes, func() { w.hint(w.replica, w.record) })
	}
	for _, changed := range w.unseen {
		w.delays = append(w.delays, w.now+readTakes-changed)
	}
	w.unseen, w.queued, w.hinted = w.unseen[:0], false, false
	w.schedule(w.now + pollEvery)
}

// hint puts a hint into a message of a replica. A second hint at a record waits.
func (f *hintFleet) hint(r *hintReplica, record int) {
	last, known := r.hinted[record]
	if f.channels == 0 || known && last > f.now {
		return
	}
	if r.hinted[record] = f.now; known {
		r.hinted[record] = max(f.now, last+hintEvery)
	}
	f.at(r.hinted[record], func() {
		if r.batch = append(r.batch, record); len(r.batch) == 1 {
			f.at(f.now+collectFor, func() { f.publish(r) })
		}
	})
}

// publish sends the messages of a replica, one for each channel.
func (f *hintFleet) publish(r *hintReplica) {
	sent := min(maxHints, len(r.batch))
	hints := map[int]int{} // by channel
	for _, record := range r.batch[:sent] {
		hints[f.channel(record)]++
		f.at(f.now+2*f.latency*f.Float64(), func() {
			for _, w := range f.watches[record] {
				if w.replica != r {
					w.nudge(f.now + hintWithin*f.Float64())
				}
			}
		})
	}
	if r.batch = slices.Delete(r.batch, 0, sent); len(r.batch) > 0 {
		f.at(f.now+collectFor, func() { f.publish(r) })
	}
	for channel, n := range hints {
		subscribers := float64(f.subscribers[channel])
		f.published++
		f.delivered += subscribers
		f.bytes += subscribers * float64(8+16*n)
	}
}

// measure simulates a case for 15 s, and counts the last 10.
func (c hintCase) measure(seed uint64) *hintFleet {
	const before, window = 5, 10
	f := newHintFleet(c, seed)
	f.runTo(before)
	f.hintCounts, f.delays = hintCounts{}, nil
	f.runTo(before + window)
	slices.Sort(f.delays)
	for _, n := range []*float64{&f.published, &f.delivered, &f.bytes, &f.reads, &f.nudges, &f.changed} {
		*n /= window
	}
	return f
}

// delay returns a percentile of the time from a change to its event, in milliseconds.
func (f *hintFleet) delay(percent int) float64 { return 1000 * f.delays[len(f.delays)*percent/100] }

// hints returns a table of cases with one channel.
func (s *simulate) hints() string {
	var rows [][]string
	for _, replicas := range fleetSizes {
		for _, streams := range []int{1, 3} {
			for _, changes := range []float64{100, 1000} {
				for _, webhooks := range []float64{0, 1} {
					c := hintCase{replicas, s.records, streams, changes, webhooks, s.latency, 0}
					alone := c.measure(1)
					c.channels = 1
					f, n := c.measure(1), float64(replicas)
					rows = append(rows, []string{
						text(0, n), text(0, float64(streams)), text(0, changes), text(0, webhooks), text(0, f.published),
						text(0, f.delivered/n), text(0, f.delivered), text(1, f.bytes/n/1000), text(2, f.nudges/f.changed),
						text(0, alone.reads/f.changed, f.reads/f.changed), text(0, alone.delay(50), f.delay(50)), text(0, alone.delay(99), f.delay(99)),
					})
				}
			}
		}
	}
	return table([]string{
		">replicas", ">streams of a record", ">changes/s", ">webhooks for each", ">messages/s published", ">to each replica", ">to all",
		">kB/s to each", ">reads by hints for a change", ">reads for a change: without, with", ">p50 (ms)", ">p99 (ms)",
	}, rows)
}

// channels returns a table of the busiest case, with a stream of each record, in several channels.
func (s *simulate) channels() string {
	var rows [][]string
	for _, replicas := range fleetSizes {
		for _, channels := range []int{1, 16, 256, 4096} {
			f, n := hintCase{replicas, s.records, 1, 1000, 1, s.latency, channels}.measure(1), float64(replicas)
			subscriptions := 0
			for _, subscribers := range f.subscribers {
				subscriptions += subscribers
			}
			rows = append(rows, []string{
				text(0, n), text(0, float64(channels)), text(0, float64(subscriptions)/n), text(0, f.published), text(0, f.delivered/n),
				text(0, f.delivered), text(1, 100*f.delivered/s.deliveries) + " %",
			})
		}
	}
	return table([]string{">replicas", ">channels", ">of a replica", ">messages/s published", ">to each replica", ">to all", ">of one core"}, rows)
}

// limits returns a table of what one channel carries. A replica that has h hints a second sends h/(1 + h/100) messages,
// since the first hint of a message starts the 10 ms.
func (s *simulate) limits() string {
	var rows [][]string
	for _, replicas := range []float64{3, 10, 30, 100, 300, 1000} {
		most, messages := replicas*replicas/collectFor, s.deliveries/(replicas*replicas)
		hints := "none"
		if messages < 1/collectFor {
			hints = text(0, replicas*messages/(1-messages*collectFor))
		}
		rows = append(rows, []string{text(0, replicas), text(0, most), text(0, 100*most/s.deliveries) + " %", hints})
	}
	return table([]string{">replicas", ">messages/s to all, at most", ">of one core", ">hints/s that fill one core"}, rows)
}
