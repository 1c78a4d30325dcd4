package live_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	upstream "pixgraph/upstream/client"
	"pixgraph/upstream/live"
)

// fixture is an engine over an api.
type fixture struct {
	*live.Engine
	t    *testing.T
	api  *api
	runs executions
}

// simulate runs a test with an engine and a clock of its own; as a subtest if it has a name.
func simulate(t *testing.T, name string, config live.Config, test func(*testing.T, *fixture)) {
	t.Helper()
	run := func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := &fixture{t: t, api: newAPI()}
			config.Source = f.api
			f.Engine = live.New(config)
			t.Cleanup(func() {
				f.Close()
				if s := f.Stats(); s.Streams+s.Watches+s.Records != 0 {
					t.Errorf("left after Close: %+v", s)
				}
				goleak.VerifyNone(t, goleak.IgnoreCurrent())
			})
			test(t, f)
		})
	}
	if name == "" {
		run(t)
	} else {
		t.Run(name, run)
	}
}

// names returns the ids of records.
func names(n int) (ids []string) {
	for i := range n {
		ids = append(ids, fmt.Sprint("r", i))
	}
	return ids
}

// join begins a stream of a token.
func (f *fixture) join(token, id string, until ...string) (*client, *live.Stream) {
	f.t.Helper()
	return f.joinWith(live.Request{Token: live.Token{Key: token}, Subject: transaction(id), Until: live.Until{Statuses: until}})
}

// joinAs begins a stream of a caller with one token.
func (f *fixture) joinAs(caller, id string) *client {
	f.t.Helper()
	c, _ := f.joinWith(live.Request{Token: live.Token{Key: caller, Caller: caller}, Subject: transaction(id)})
	return c
}

// joinTokens begins a stream of a record for each of some tokens, t0, t1 and so on.
func (f *fixture) joinTokens(n int, id string) (clients []*client) {
	f.t.Helper()
	for i := range n {
		c, _ := f.join(fmt.Sprint("t", i), id)
		clients = append(clients, c)
	}
	return clients
}

// joinRecords begins a stream of each of some records.
func (f *fixture) joinRecords(token string, n int) (clients []*client) {
	f.t.Helper()
	for _, id := range names(n) {
		c, _ := f.join(token, id)
		clients = append(clients, c)
	}
	return clients
}

func (f *fixture) joinWith(r live.Request) (*client, *live.Stream) {
	f.t.Helper()
	c := &client{}
	if r.Sink == nil {
		r.Sink = c
	}
	if r.Execute == nil {
		r.Execute = f.runs.execute
	}
	s, err := f.Join(r)
	if err != nil {
		f.t.Fatal(err)
	}
	return c, s
}

// wantReads compares the number of reads since the last count.
func (f *fixture) wantReads(low, high int, format string, args ...any) {
	f.t.Helper()
	if n := f.api.count(); n < low || n > high {
		f.t.Errorf("%d reads %s, want %d to %d", n, fmt.Sprintf(format, args...), low, high)
	}
}

// wantReadsIn lets time pass and compares the number of reads in it.
func (f *fixture) wantReadsIn(d time.Duration, low, high int, format string, args ...any) {
	f.t.Helper()
	f.api.count()
	pass(d)
	f.wantReads(low, high, format, args...)
}

// wantReadsOf is wantReads for those of a token, since the last call of readsByToken.
func (f *fixture) wantReadsOf(token string, low, high int, format string, args ...any) {
	f.t.Helper()
	if n := f.api.readsByToken()[token]; n < low || n > high {
		f.t.Errorf("%d reads %s, want %d to %d", n, fmt.Sprintf(format, args...), low, high)
	}
}

// pass lets time pass, and everything that happens in it.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// wantLast compares the answer of the last event.
func (c *client) wantLast(t *testing.T, answer string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if last := c.events[len(c.events)-1]; string(last.Answer) != answer {
		t.Errorf("the last event is %s %s", last.Reason, last.Answer)
	}
}

// wantAll is want for several clients.
func wantAll(t *testing.T, clients []*client, want ...string) {
	t.Helper()
	for _, c := range clients {
		c.want(t, want...)
	}
}

// executions counts the calls of execute.
type executions struct {
	mu      sync.Mutex
	n       int
	err     error  // of the executions; nil for none
	partial []byte // the answer with that error; nil for none
}

// fail makes executions fail, with an incomplete answer or none; a nil error ends that.
func (x *executions) fail(partial []byte, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.partial, x.err = partial, err
}

// count returns the executions since the last count.
func (x *executions) count() (n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	n, x.n = x.n, 0
	return n
}

func (x *executions) execute(_ context.Context, r *live.Reading) ([]byte, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.n++
	if x.err != nil {
		return x.partial, x.err
	}
	if strings.HasSuffix(r.Record.(string), "panic") {
		panic("an answer")
	}
	return []byte(r.Record.(string)), nil
}

// transaction is the subject of one transaction.
func transaction(id string) live.Subject { return live.Record((*upstream.Session).Transaction, id) }
