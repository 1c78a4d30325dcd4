package live

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pixgraph/upstream/client"
)

// simulation is the schedule of a record whose watches a, b and c do not read: a test says what they read, and when.
type simulation struct {
	plan
	*record
	t   *testing.T
	now time.Time
	log []string // the watches that are to read, with ! if urgently
}

// newSimulation returns a schedule whose watches have read a record with a status.
func newSimulation(t *testing.T, status string, watches int) *simulation {
	s := &simulation{t: t, now: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)}
	s.plan = plan{
		interval: time.Second, random: func() float64 { return 0.5 }, timers: timers{start: s.now},
		budget: budget{polls: 100, callers: map[string]*caller{}},
		read: func(w *watch, urgent bool, _ time.Time) {
			s.log = append(s.log, w.key.token+map[bool]string{true: "!"}[urgent])
		},
	}
	s.record = &record{schedule: schedule{plan: &s.plan}}
	s.timer.fire = s.fire
	for i := range watches {
		w := &watch{
			key: watchKey{token: string(rune('a' + i))}, subject: Record((*client.Session).Transaction, ""), caller: &caller{}, read: s.now, limit: &tokenLimit{},
			progress: progress{status: status, updated: s.now}, record: s.record, state: &state{},
		}
		w.cohorts = []*cohort{{watch: w}}
		s.budget.callers[w.key.token] = w.caller
		s.watches = append(s.watches, w)
	}
	s.status, s.updated = status, s.now
	s.joined(s.now)
	return s
}

// reads lets time pass, and returns the reads that are queued in it.
func (s *simulation) reads(d time.Duration) string {
	for end := s.now.Add(d); ; {
		if s.now = s.timers.time(s.timers.next()); s.now.After(end) {
			s.now = end
			return s.logged()
		}
		s.timers.advance(s.now)
	}
}

// logged returns the reads that were queued since the last call.
func (s *simulation) logged() string {
	reads := strings.Join(s.log, " ")
	s.log = nil
	return reads
}

// of returns the watch of a token.
func (s *simulation) of(token string) *watch {
	for _, w := range s.watches {
		if w.key.token == token {
			return w
		}
	}
	s.t.Fatal("no watch ", token)
	return nil
}

// sees is a reading of a token with a status.
func (s *simulation) sees(token, status string) string {
	w := s.of(token)
	reading := &Reading{Status: status, Updated: w.progress.updated}
	if status != s.status {
		reading.Updated = s.now
	}
	is := news{significant: w.progress != progressOf(reading), recovered: w.err != nil}
	w.progress, w.read, w.err = progressOf(reading), s.now, nil
	s.update(w, reading, is, s.now)
	w.propagated = false
	return s.logged()
}

// fails is a read of a token that fails, and is not retried for a time.
func (s *simulation) fails(token string, retry time.Duration) string {
	w := s.of(token)
	w.err, w.retry = errors.New("failed"), s.now.Add(retry)
	s.setEarlier(s.now)
	return s.logged()
}

// TestSchedule: which watches of a record read, and when.
func TestSchedule(t *testing.T) {
	type step struct {
		what string
		do   func(*simulation) string
		want string // the reads
	}
	in := func(d time.Duration, want string) step {
		return step{"in " + d.String(), func(s *simulation) string { return s.reads(d) }, want}
	}
	sees := func(token, status, want string) step {
		return step{token + " sees " + status, func(s *simulation) string { return s.sees(token, status) }, want}
	}
	fails := func(token string, d time.Duration) step {
		return step{token + " fails", func(s *simulation) string { return s.fails(token, d) }, ""}
	}
	set := func(what string, change func(*simulation)) step {
		return step{what, func(s *simulation) string { change(s); return s.logged() }, ""}
	}
	quiet := func(d time.Duration) step {
		return set("quiet for "+d.String(), func(s *simulation) { s.active = s.now.Add(-d); s.set(s.now) })
	}
	const ms, second, minute = time.Millisecond, time.Second, time.Minute
	joined := set("a stream begins", func(s *simulation) { s.joined(s.now) })
	unread := set("b was not read", func(s *simulation) { s.of("b").read = time.Time{} })
	reading := set("b reads slowly", func(s *simulation) { s.of("b").reading = true })
	unanswered := set("b has no answer", func(s *simulation) { s.of("b").cohorts[0].failing = s.now; s.setEarlier(s.now) })
	paused := set("a must wait", func(s *simulation) { s.of("a").pause = s.now.Add(7 * second) })
	nudge := set("a nudge", func(s *simulation) { s.nudge(s.now, s.now) })
	nudges := set("nudges of other records", func(s *simulation) { s.nudgesSince, s.nudges = s.now, maxNudges })
	short := set("a short budget", func(s *simulation) { s.budget.polls = 0.25; s.set(s.now) })
	for name, tt := range map[string]struct {
		status  string
		watches int
		steps   []step
	}{
		"waits for something": {"PENDING", 1, []step{
			in(3500*ms, "a a a"), quiet(3 * minute), in(5*second, "a a"), quiet(10 * minute), in(11*second, "a a"),
		}},
		"waits for people": {"BLOCKED", 1, []step{in(16*second, "a a a"), quiet(10 * minute), in(16*second, "a a a")}},
		"settled": {"PAID", 1, []step{
			in(91*second, "a a a"), quiet(3 * minute), in(61*second, "a"), quiet(10 * minute), in(151*second, "a"),
		}},
		"a new stream": {"PAID", 1, []step{
			quiet(10 * minute), in(20*second, ""), joined, in(29*second, ""), in(2*second, "a"),
		}},
		"tokens take turns": {"PENDING", 3, []step{in(4500*ms, "a b c a")}},
		"a slow token":      {"PENDING", 3, []step{reading, in(4500*ms, "a c a c")}},
		"only a slow token": {"PENDING", 2, []step{fails("a", time.Hour), reading, in(2500*ms, "b b")}},
		"an unread token":   {"PENDING", 2, []step{unread, in(1100*ms, "a"), sees("a", "PAID", "")}},
		"a change": {"PENDING", 3, []step{
			in(1100*ms, "a"), sees("a", "PAID", "b! c!"), sees("b", "PAID", ""), in(29*second, ""), in(2*second, "b"),
		}},
		"a failing token": {"PAID", 2, []step{
			fails("a", 2*second), in(4900*ms, ""), in(200*ms, "a"), fails("a", 20*second), in(19*second, ""),
			in(5*second, "a"), in(1200*ms, "b a"),
		}},
		"a recovery": {"PAID", 3, []step{
			fails("a", time.Hour), fails("b", time.Hour), in(10*second, ""), sees("a", "PAID", "b"), sees("b", "PAID", ""),
			in(20*second, ""), in(11*second, "a"),
		}},
		"a failing answer": {"PAID", 2, []step{unanswered, in(11*second, "b b"), in(20*second, "b b b a b")}},
		"a pause of all":   {"PENDING", 1, []step{paused, fails("a", 0), in(6900*ms, ""), in(200*ms, "a")}},
		"nudges": {"PAID", 2, []step{
			in(second, ""), nudge, in(timerTick, "a!"), nudge, nudge, in(230*ms, ""), in(20*ms, "b!"), in(29*second, ""),
			in(2*second, "a"),
		}},
		"a nudge that retries": {"PAID", 1, []step{fails("a", time.Hour), nudge, in(timerTick, "a"), in(4*second, "")}},
		"too many nudges":      {"PAID", 1, []step{nudges, nudge, in(second, ""), nudge, in(timerTick, "a!")}},
		"a short budget":       {"PENDING", 1, []step{short, in(9*second, "a a")}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSimulation(t, tt.status, tt.watches)
			for i, step := range tt.steps {
				if got := step.do(s); got != step.want {
					t.Errorf("step %d, %s: reads %q, want %q", i, step.what, got, step.want)
				}
			}
			if s.stop(); s.budget.demand > 1e-9 || len(s.timers.heap) > 0 {
				t.Errorf("left after the end: a demand of %g, %d timers", s.budget.demand, len(s.timers.heap))
			}
		})
	}
}

// TestTimerOfPollWhenAwake: the timer of a record whose answers do not fail fires when its poll is due, and not a
// little before it, which would make a second fire necessary.
func TestTimerOfPollWhenAwake(t *testing.T) {
	s := newSimulation(t, "PAID", 1)
	s.timers.awake = true
	for i := range 100 {
		if s.set(s.now); s.timers.time(s.timer.at).Before(s.nextPoll) {
			t.Errorf("timer %d fires before the poll", i)
		}
	}
	s.timers.soon, s.status = 0, "PENDING"
	if s.set(s.now); s.timers.soon != 1 {
		t.Errorf("one timer that is near counts as %d", s.timers.soon)
	}
}
