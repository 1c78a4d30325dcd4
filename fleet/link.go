package fleet

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/gomodule/redigo/redis"
)

const (
	// maxInFlight bounds the commands that Redis has not answered.
	maxInFlight = 256
	// MaxWait is the time after which an unanswered command counts as failed.
	MaxWait = 100 * time.Millisecond
	// connectionTimeout ends a connection whose commands are not answered.
	connectionTimeout = time.Second
	reconnectDelay    = time.Second // half of the largest: see jitter
	maxPassword       = 4 << 10
)

// timeout ends a connection that is not made, or whose commands are not answered.
func (c Config) timeout() time.Duration { return cmp.Or(c.Patience, connectionTimeout) }

// within returns the time after which a command in the background counts as failed.
func (c Config) within() time.Duration { return cmp.Or(c.Patience, MaxWait) }

// servers are what commands are sent to: one server, or a cluster.
type servers interface {
	// open connects, if there is no connection yet.
	open() error
	// do sends commands and waits for their answers.
	do([]command) []result
	// dial makes another connection, for a subscription.
	dial() (redis.Conn, error)
	close()
}

// servers are those of the URL. The end of the context ends what connects to them.
func (c Config) servers(ctx context.Context, t Target) servers {
	dial := func(address string) (redis.Conn, error) { return c.open(ctx, address, false) }
	switch {
	case t.Cluster:
		return newCluster(t.addresses, dial)
	case t.masterSet != "":
		return &server{connectTo: func() (string, redis.Conn, error) { return c.openMaster(ctx, t) }}
	}
	return newServer(t.addresses[0], dial)
}

// link is where commands are sent to, with bounds.
//
//   - Key: none.
//   - Bound: maxInFlight commands, of which settlements and documents have 128 and 64 at most.
//   - Filled by: the background work of the fleet, and requests with the hash of an unknown document.
//   - Emptied by: an answer, or the end of a connection that does not answer within connectionTimeout.
type link struct {
	servers
	observe  func(took time.Duration)
	inFlight atomic.Int64
}

// The errors of do.
var (
	errAway    = errors.New("the connection has ended")
	errBusy    = errors.New("too many commands are not answered")
	errTimeout = errors.New("no answer in time")
	errPanic   = errors.New("panic in the client")
)

// send sends commands and waits for their answers. After the wait it ignores them, and until then, or until their
// connection ends, they count as in flight.
func (l *link) send(wait time.Duration, commands ...command) ([]result, error) {
	return l.sendThen(wait, func() {}, commands...)
}

// sendOne is send for one command.
func (l *link) sendOne(wait time.Duration, c command) (any, error) {
	results, err := l.send(wait, c)
	if err != nil {
		return nil, err
	}
	return results[0].reply, results[0].err
}

// sendThen is send, and calls a function when the commands are not in flight any more.
func (l *link) sendThen(wait time.Duration, ended func(), commands ...command) ([]result, error) {
	n := int64(len(commands))
	if l.inFlight.Add(n) > maxInFlight {
		l.inFlight.Add(-n)
		ended()
		return nil, errBusy
	}
	answered := make(chan []result, 1)
	go func() {
		var results []result
		defer func() {
			_ = recover() // results stay nil
			l.inFlight.Add(-n)
			ended()
			answered <- results
		}()
		began := time.Now()
		results = l.do(commands)
		l.observe(time.Since(began))
	}()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case results := <-answered:
		if results == nil {
			return nil, errPanic
		}
		return results, nil
	case <-timer.C:
		return nil, errTimeout
	}
}

// jitter returns a duration of half to three halves of another one, so that replicas do not act at the same time.
func jitter(d time.Duration) time.Duration { return d/2 + rand.N(d) }
