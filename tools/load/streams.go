package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"regexp"
	"time"

	"pixgraph/sandbox"
)

// streams measures what streams cost, and how soon they show a change. It fails if a stream ends or misses the last
// change of its record, never for a figure: clients and APIs share the machine with the gateway.
type streams struct {
	*tool
	count  int            // of streams, where a measurement has no other number
	window time.Duration  // of each measurement, at least
	rest   time.Duration  // before the measurement of a gateway at rest: it reads more rarely after 10 minutes
	only   *regexp.Regexp // the names of the measurements to make

	box    *sandbox.Sandbox // the issuer of the tokens
	tokens []string
}

func newStreams(t *tool, flags *flag.FlagSet) func(context.Context) error {
	s := &streams{tool: t, only: regexp.MustCompile("")}
	flags.IntVar(&s.count, "streams", 10_000, "`number` of streams")
	flags.DurationVar(&s.window, "window", 30*time.Second, "how long each measurement takes")
	flags.DurationVar(&s.rest, "rest", 11*time.Minute, "how long to wait before a gateway at rest is measured")
	flags.Func("only", "a regular `expression` for the names of the measurements to make", func(text string) (err error) {
		s.only, err = regexp.Compile(text)
		return err
	})
	return s.run
}

// run makes the measurements and writes the report.
func (s *streams) run(ctx context.Context) (err error) {
	if s.box, err = s.startSandbox(sandbox.Config{Records: 1, MoveEvery: -1}); err != nil {
		return err
	}
	s.mint()
	machine, err := machine()
	if err != nil {
		return err
	}
	var rows [][]string // also those before an error
	for _, w := range s.watchings() {
		if err != nil || !s.only.MatchString(w.name) {
			continue
		}
		s.logf("%s", w.name)
		err = s.during(func() error {
			o, err := s.observe(ctx, w)
			if err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
			for _, f := range w.figures(o) {
				rows = append(rows, f.row(w.name))
			}
			return nil
		})
	}
	figures := table([]string{"measurement", "figure", ">measured", ">target", "met"}, rows)
	_, failed := fmt.Fprintf(s.stdout, "%d streams; %s\n\n%s", s.count, machine, figures)
	return errors.Join(err, failed)
}

// mint mints the tokens, each of another caller.
func (s *streams) mint() {
	s.tokens = make([]string, max(s.count, callers))
	for i := range s.tokens {
		s.tokens[i] = token(s.box, fmt.Sprint("watcher-", i))
	}
}

// record returns the record of the API, with a status.
func (s *streams) record(status string) (string, error) {
	var members map[string]any
	if err := json.Unmarshal(s.box.Ledger().Transactions()[0].JSON(), &members); err != nil {
		return "", err
	}
	members["id"], members["updatedAt"], members["status"] = idPlace, updatedPlace, status
	text, err := json.Marshal(members)
	return string(text), err
}

const mebibyte = 1 << 20
