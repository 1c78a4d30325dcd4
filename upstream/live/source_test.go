package live_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/upstream"
	apiclient "pixgraph/upstream/client"
	"pixgraph/upstream/live"
)

// api is a Source whose records a test changes. It counts the reads of each token.
type api struct {
	mu      sync.Mutex
	latency time.Duration
	records map[string]*row            // by id
	errs    map[string]*upstream.Error // by token, "" for all
	reads   map[string]int             // by token
	times   []time.Time
	private map[string]string        // what a token sees in addition
	noise   atomic.Bool              // whether each read differs
	slowFor map[string]time.Duration // latency by token
}

type row struct {
	status  string
	history []live.Entry
	updated time.Time
	changes int // since it is new
}

func newAPI() *api {
	return &api{
		latency: 5 * time.Millisecond, records: map[string]*row{}, errs: map[string]*upstream.Error{}, reads: map[string]int{},
		private: map[string]string{}, slowFor: map[string]time.Duration{},
	}
}

// record returns a record, which is new if nobody has read or changed it.
func (a *api) record(id string) *row {
	if a.records[id] == nil {
		a.records[id] = &row{status: "PENDING", updated: time.Now(), history: []live.Entry{{"PENDING", time.Now()}}}
	}
	return a.records[id]
}

// Read implements live.Source.
func (a *api) Read(ctx context.Context, token live.Token, subject live.Subject, _ bool, seen *apiclient.Digest) (*live.Reading, error) {
	a.mu.Lock()
	latency := a.latency
	if a.slowFor[token.Key] > 0 {
		latency = a.slowFor[token.Key]
	}
	a.mu.Unlock()
	select {
	case <-time.After(latency):
	case <-ctx.Done():
		return nil, &upstream.Error{Kind: upstream.KindCanceled}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.reads[token.Key]++
	a.times = append(a.times, time.Now())
	for _, key := range []string{"", token.Key} {
		if err := a.errs[key]; err != nil {
			return nil, err
		}
	}
	r := a.record(subject.Target)
	content := strconv.Itoa(r.changes) + a.private[token.Key]
	if a.noise.Load() {
		content += fmt.Sprint(" ", len(a.times))
	}
	version := sha256.Sum256([]byte(content))
	last := *seen
	if *seen = version; *seen == last {
		return nil, apiclient.ErrUnchanged
	}
	return &live.Reading{
		Record: r.status + a.private[token.Key], Status: r.status, History: r.history, Updated: r.updated,
		Version: version,
	}, nil
}

// set changes the status of a record.
func (a *api) set(id, status string) { a.setAt(id, status, time.Now()) }

// setAt is set with another time in the history.
func (a *api) setAt(id, status string, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.record(id)
	r.status, r.updated, r.changes = status, time.Now(), r.changes+1
	r.history = append(r.history[:len(r.history):len(r.history)], live.Entry{Status: status, Since: at})
}

// fail makes the reads of a token fail, "" for all; nil ends that.
func (a *api) fail(token string, err *upstream.Error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.errs[token] = err
}

// slow sets the duration of the reads that begin from now on.
func (a *api) slow(latency time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.latency = latency
}

// show makes a token see something in addition.
func (a *api) show(token, text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.private[token] = text
}

// readsByToken returns the reads of each token since the last call.
func (a *api) readsByToken() map[string]int {
	a.mu.Lock()
	defer a.mu.Unlock()
	reads := a.reads
	a.reads = map[string]int{}
	return reads
}

// count returns the reads since the last count.
func (a *api) count() (n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n = len(a.times)
	a.times = nil
	return n
}

// errPanics makes a client panic.
var errPanics = errors.New("panic")

// Errors of reads.
var (
	errServer      = &upstream.Error{Kind: upstream.KindServerError, Status: 500}
	errUnavailable = &upstream.Error{Kind: upstream.KindUnavailable, Status: 502}
)

func rateLimited(after time.Duration) *upstream.Error {
	return &upstream.Error{Kind: upstream.KindRateLimited, Status: 429, RetryAfter: after}
}

// client is a Sink that records events. It blocks while it is stuck.
type client struct {
	mu     sync.Mutex
	events []live.Event
	at     []time.Time
	beats  int
	end    live.End
	stuck  chan struct{}
	err    error
}

func (c *client) Send(e live.Event) error {
	if c.stuck != nil {
		<-c.stuck
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if errors.Is(c.err, errPanics) {
		panic(c.err)
	}
	c.events, c.at = append(c.events, e), append(c.at, time.Now())
	return c.err
}

func (c *client) Heartbeat() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.beats++
	return c.err
}

func (c *client) End(why live.End) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end != "" {
		panic("ended two times")
	}
	c.end = why
}

// want compares the events since the last call, as "REASON answer".
func (c *client) want(t *testing.T, want ...string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	var got []string
	for _, e := range c.events {
		text := string(e.Reason)
		if e.Answer != nil {
			text += " " + string(e.Answer)
		}
		got = append(got, text)
	}
	c.events = nil
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("events %q, want %q", got, want)
	}
}

func (c *client) wantEnd(t *testing.T, want live.End) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end != want {
		t.Errorf("ended by %q, want %q", c.end, want)
	}
}
