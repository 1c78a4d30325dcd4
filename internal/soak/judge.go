package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// quantity is something that may not keep growing, and how much of growth is none: what differs between two looks at a
// gateway that is well, and caches that are filled up to their bounds.
type quantity struct {
	name  string
	of    func(sample) int64
	slack int64
	unit  int64 // to print it in
}

func quantities() []quantity {
	const mebibyte = 1 << 20
	return []quantity{
		{"RSS MiB", func(s sample) int64 { return s.rss }, 32 * mebibyte, mebibyte},
		{"heap MiB", func(s sample) int64 { return s.heap }, 4 * mebibyte, mebibyte},
		{"goroutines", func(s sample) int64 { return s.goroutines }, 32, 1},
		{"files", func(s sample) int64 { return s.files }, 2 * concurrency, 1}, // connections to two APIs that are kept
	}
}

// fewest samples can be judged: one to fill caches and pools, and two for each end.
const fewest = 5

var errTooShort = errors.New("too short to say anything: give it five cycles at least")

// judge compares the last third of the samples with the first, leaving the first samples of all out, and prints both.
func judge(stdout io.Writer, samples []sample) error {
	if len(samples) < fewest {
		return errTooShort
	}
	samples = samples[max(1, len(samples)/10):]
	third := len(samples) / 3
	third = max(third, 2)
	var text strings.Builder
	var grown []string
	fmt.Fprintf(&text, "\n%-10s  %10s  %10s\n", "median of", "first third", "last third")
	for _, q := range quantities() {
		first, last := median(samples[:third], q.of), median(samples[len(samples)-third:], q.of)
		fmt.Fprintf(&text, "%-10s  %10.1f  %10.1f\n", q.name, float64(first)/float64(q.unit), float64(last)/float64(q.unit))
		if last > first+q.slack {
			grown = append(grown, q.name)
		}
	}
	if _, err := io.WriteString(stdout, text.String()); err != nil {
		return err
	}
	if len(grown) > 0 {
		return fmt.Errorf("it keeps growing: %s", strings.Join(grown, ", "))
	}
	return nil
}

func median(samples []sample, of func(sample) int64) int64 {
	values := make([]int64, len(samples))
	for i, s := range samples {
		values[i] = of(s)
	}
	slices.Sort(values)
	return values[len(values)/2]
}
