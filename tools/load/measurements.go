package main

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// The statuses of the records: one that is read as often as possible, and one that is settled.
const (
	waiting = "PENDING"
	settled = "PAID"
)

// callers is the number of callers of one record.
const callers = 100

// watchings returns the measurements, with the targets for 10,000 streams on two cores.
func (s *streams) watchings() []watching {
	n, each := s.count, time.Second*50/time.Duration(s.count) // 200 changes a second of 10,000 streams
	some := max(1, n/5)
	steady := min(s.rest, time.Minute) // until collections of garbage are as rare as they get
	rest := func(protocol string, memory float64) watching {
		return watching{
			name: "at rest, " + protocol, protocol: protocol, streams: n, tokens: n, records: n, status: settled, rest: s.rest,
			figures: func(o observed) []figure {
				return []figure{
					{"RSS", float64(o.usage.RSS) / mebibyte, memory, "MiB"},
					{"peak RSS", float64(o.usage.Peak) / mebibyte, 0, "MiB"},
					{"goroutines of a stream", math.Round(100*o.goroutines) / 100, 1, ""},
					{"processor", 100 * o.cores, 2, "% of a core"},
					{"reads", o.reads, 0, "/s"},
				}
			},
		}
	}
	return []watching{
		rest("sse", 128), rest("multipart", 128), rest("websocket", 192),
		{
			name: "five streams of each record", protocol: "sse", streams: n, tokens: some, records: some, status: waiting,
			flags: []string{fmt.Sprint("--live-polls=", 2*some)}, rest: steady, changes: each, queries: true,
			figures: func(o observed) []figure {
				return append(o.latency(1200),
					figure{"reads of a record", o.reads / float64(some), 1.1, "/s"},
					figure{"processor", 100 * o.cores, 0, "% of a core"},
					figure{"peak RSS", float64(o.usage.Peak) / mebibyte, 0, "MiB"},
					figure{"p99 of queries before the streams", milli(o.alone.latencies.percentile(99)), 0, "ms"},
					figure{"p99 of queries at a gateway without streams", milli(o.apart.latencies.percentile(99)), 0, "ms"},
					figure{"p99 of queries", milli(o.during.latencies.percentile(99)), 1.5 * milli(o.apart.latencies.percentile(99)), "ms"})
			},
		},
		{
			name: "one stream of each record", protocol: "sse", streams: n, tokens: n, records: n, status: waiting,
			flags: []string{fmt.Sprint("--live-polls=", 2*n)}, rest: steady,
			figures: func(o observed) []figure {
				return []figure{
					{"reads of a record", o.reads / float64(n), 1.1, "/s"},
					{"processor", 100 * o.cores, 60, "% of a core"},
					{"processor for a read", 1e6 * o.cores / o.reads, 60, "µs"},
				}
			},
		},
		{
			name: "one stream of each record, nudges", protocol: "sse", streams: n, tokens: n, records: n, status: waiting,
			flags: []string{fmt.Sprint("--live-polls=", max(1, n*8/100))}, changes: each, nudges: true,
			figures: func(o observed) []figure {
				return append(o.latency(250),
					figure{"reads of a record", o.reads / float64(n), 0.1, "/s"},
					figure{"processor", 100 * o.cores, 0, "% of a core"})
			},
		},
		{
			name: "one stream of each record, three replicas", protocol: "sse", streams: n, tokens: n, records: n, status: settled,
			rest: steady, changes: each, nudges: true, replicas: 2,
			figures: func(o observed) []figure {
				return append(o.latency(150),
					figure{"reads before the changes", o.resting, 0, "/s"},
					figure{"more reads for each change", (o.reads - o.resting) * each.Seconds(), 1.2, ""})
			},
		},
		{
			name: "one record, one caller", protocol: "sse", streams: n, tokens: 1, records: 1, status: waiting,
			flags: []string{"--limits-memory=2GiB"}, changes: 3 * time.Second,
			figures: func(o observed) []figure {
				return append(o.latency(0),
					figure{"reads", o.reads, 1.1, "/s"},
					figure{"from the read to the last stream", milli(o.delivery.percentile(100)), 300, "ms"},
					figure{"processor", 100 * o.cores, 0, "% of a core"})
			},
		},
		{
			name: "one record, 100 callers", protocol: "sse", streams: callers, tokens: callers, records: 1, status: waiting,
			figures: func(o observed) []figure { return []figure{{"reads", o.reads, 1.2, "/s"}} },
		},
	}
}

// figure is one result, with the maximum that it should be; 0 for no target.
type figure struct {
	name            string
	measured, limit float64
	unit            string
}

// row returns the row of a figure in the report.
func (f figure) row(measurement string) []string {
	text := func(n float64) string { return strconv.FormatFloat(n, 'g', 3, 64) + " " + f.unit }
	switch {
	case f.limit == 0:
		return []string{measurement, f.name, text(f.measured), "", ""}
	case f.measured > f.limit:
		return []string{measurement, f.name, text(f.measured), "≤ " + text(f.limit), "**no**"}
	default:
		return []string{measurement, f.name, text(f.measured), "≤ " + text(f.limit), "yes"}
	}
}

// latency returns the time from a change to the clients.
func (o observed) latency(limit float64) []figure {
	return []figure{
		{"from a change to the client, p50", milli(o.change.percentile(50)), 0, "ms"},
		{"from a change to the client, p99", milli(o.change.percentile(99)), limit, "ms"},
	}
}

func milli(d time.Duration) float64 { return 1000 * d.Seconds() }
