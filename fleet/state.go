package fleet

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gomodule/redigo/redis"

	"pixgraph/internal/delay"
	"pixgraph/internal/netcause"
)

const (
	// maxErrors is the number of errors in a row after which Redis is away; one timeout is enough.
	maxErrors = 3
	// probeEvery is the time between two signs of life of a replica, each of which is also a probe.
	probeEvery = time.Second
	// aliveFor is how long a replica counts after its last sign of life.
	aliveFor = 5 * time.Second
	// maxFewer is the number of probes that may see fewer replicas: after a loss of data the others are still to join.
	maxFewer = 4
	logEvery = time.Minute
)

// state is whether Redis is used, and how many replicas there are. It is the circuit breaker of the fleet: errors and
// timeouts of commands open it, and only a probe closes it.
type state struct {
	fleet *Fleet
	away  atomic.Bool // changed while locked; requests read it

	mu       sync.Mutex
	why      string // of the last error, and its cause
	cause    error
	errors   int // in a row
	replicas int // that were seen last, this one included
	fewer    int // probes in a row that saw fewer
	logged   time.Time
	known    bool // whether the log says that Redis is away
}

// isAway reports whether Redis is not used.
func (s *state) isAway() bool { return s.away.Load() }

// seen returns the number of replicas.
func (s *state) seen() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.replicas
}

// failed counts a command that failed.
func (s *state) failed(err error) {
	why := reason(err)
	if s.fleet.counts.refuse(why); why == reasonKey {
		return // says nothing about other keys
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.why, s.cause = why, cause(err)
	if s.errors++; s.away.Load() || s.errors < maxErrors && why != reasonTimeout {
		s.logLocked()
		return
	}
	s.away.Store(true)
	s.fleet.ledger.Divide(s.replicas)
	s.logLocked()
}

// answered counts a command that succeeded.
func (s *state) answered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.errors = 0
}

// probed handles a probe that succeeded.
func (s *state) probed(replicas int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.errors = 0
	s.fewer++
	if replicas = max(1, min(replicas, maxReplicas)); replicas >= s.replicas || s.fewer > maxFewer {
		s.replicas, s.fewer = replicas, 0
	}
	if !s.away.Load() {
		return
	}
	s.why = ""
	s.fleet.ledger.Unite()
	s.away.Store(false)
	s.fleet.hints.again()
	if s.known || s.logged.IsZero() {
		s.known = false
		s.fleet.config.Log.Info("the fleet uses Redis", "replicas", s.replicas)
	}
}

// maxReplicas bounds the number that Redis says, in whose sorted set others may write.
const maxReplicas = 1000

// logLocked logs that Redis is away, at most once a minute.
func (s *state) logLocked() {
	if now := time.Now(); s.away.Load() && now.Sub(s.logged) >= logEvery {
		s.logged, s.known = now, true
		s.fleet.config.Log.LogAttrs(context.Background(), slog.LevelWarn, "Redis cannot be used: each replica limits rates by itself",
			slog.String("reason", s.why), slog.String("error", s.cause.Error()),
			slog.String("server", strings.Join(s.fleet.target.Addresses(), " ")), slog.Int("replicas", s.replicas))
	}
}

// probe gives a sign of life and settles a bucket of its own, each second: PING would also succeed while Redis is full,
// read-only, or denies the commands.
func (f *Fleet) probe() {
	for f.ctx.Err() == nil {
		replicas, err := f.probeOnce()
		if err != nil {
			f.state.failed(err)
		} else {
			f.state.probed(replicas)
		}
		delay.Sleep(f.ctx, probeEvery-MaxWait) // a probe may take that long
	}
}

// probeOnce sends each script, as settlements do, and returns the number of replicas.
func (f *Fleet) probeOnce() (replicas int, err error) {
	results, err := f.link.send(f.config.within(), f.ownSettlement(false), f.ownSettlement(!f.target.Cluster),
		eval(joinScript, f.config.Prefix+"replicas", f.id, aliveFor.Milliseconds()))
	if err != nil {
		return 0, err
	}
	for _, r := range results {
		if r.err != nil {
			return 0, r.err
		}
	}
	return redis.Int(results[len(results)-1].reply, nil)
}

// The reasons of failed commands, for metrics and the log. They are fixed texts: those of Redis have values.
const (
	reasonTimeout    = "timeout"
	reasonBusy       = "busy"
	reasonConnection = "connection"
	reasonKey        = "value of another type"
	reasonDenied     = "denied"
	reasonFull       = "full"
	reasonReadOnly   = "read-only"
	reasonNotReady   = "not ready"
	reasonOther      = "other"
)

var reasons = [...]string{reasonTimeout, reasonBusy, reasonConnection, reasonKey, reasonDenied, reasonFull, reasonReadOnly,
	reasonNotReady, reasonOther}

// reason classifies an error.
func reason(err error) string {
	var refused redis.Error
	if !errors.As(err, &refused) {
		switch {
		case errors.Is(err, errTimeout), errors.Is(netcause.Of(err), context.DeadlineExceeded):
			return reasonTimeout
		case errors.Is(err, errBusy):
			return reasonBusy
		}
		return reasonConnection
	}
	text := refused.Error()
	for _, class := range []struct{ code, reason string }{
		{"WRONGTYPE", reasonKey}, {"OOM", reasonFull}, {"READONLY", reasonReadOnly}, {"MISCONF", reasonReadOnly},
		{"NOPERM", reasonDenied}, {"NOAUTH", reasonDenied}, {"WRONGPASS", reasonDenied}, {"invalid password", reasonDenied},
		{"can't run this command", reasonDenied}, {"ACL failure", reasonDenied}, // in a script; since Redis 7.2 the latter
		{"LOADING", reasonNotReady}, {"MASTERDOWN", reasonNotReady}, {"CLUSTERDOWN", reasonNotReady}, {"BUSY", reasonNotReady},
		{"NOREPLICAS", reasonNotReady}, {"TRYAGAIN", reasonNotReady},
	} {
		if strings.Contains(text, class.code) { // in a script, other text may come before
			return class.reason
		}
	}
	return reasonOther
}
