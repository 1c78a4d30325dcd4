// Package fleet lets the replicas of a gateway act as one, through a Redis or Valkey server: they settle rate limits,
// share registered documents, and hint at records that changed. It stores nothing else, and nothing of a record or a
// token.
//
// No request fails because of Redis, and only the search for a document waits for it, for MaxDocumentWait. Without it,
// each replica continues on its own. The package knows neither GraphQL nor callers: its users bring keys.
//
// Its words:
//
//   - A replica is one gateway process; its id is random.
//   - To settle is to add to a shared bucket what a replica took of it, and to learn what is missing in it.
//   - Away is the state in which Redis is not used, but probed each second.
//
// Read Fleet first, then link.send, which each command goes through.
package fleet

import (
	"context"
	"crypto/rand"
	"crypto/sha1"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"pixgraph/internal/delay"
	"pixgraph/internal/quota"
)

// Config says where Redis is. URL, Prefix, Documents and Log are required.
type Config struct {
	URL          URL
	PasswordFile string // read for each connection; "" for the password of URL
	Prefix       string // of the keys and the channel
	// Documents is the largest document in bytes, 0 for none: documents are neither read nor written.
	Documents int
	// Dial makes TCP connections, and TLS is the configuration of handshakes, without the name of a server.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	TLS  func() *tls.Config
	Log  *slog.Logger

	// Patience is how long connections, and commands in the background, may take. 0 is connectionTimeout for the former
	// and MaxWait for the latter.
	Patience time.Duration
}

// Ledger is the buckets of a replica.
type Ledger interface {
	// Unsettled returns what was taken from at most so many buckets since it was last returned, and Settled receives
	// that result with the answers, and the number of replicas. One goroutine calls both, in turn.
	Unsettled(most int) []Charge
	Settled(charges []Charge, replicas int)
	// Divide makes each bucket refill at the rate divided by a number of replicas, while nothing is settled. Unite ends
	// that: what was taken meanwhile is to be settled.
	Divide(replicas int)
	Unite()
}

// Charge is what a replica took of one bucket. The times but Age are those in which its rate refills tokens.
type Charge struct {
	Key   string        // in Redis, after the prefix
	Units int           // tokens that were taken
	Used  time.Duration // for them
	Age   time.Duration // since the first of them was taken
	Known time.Duration // for those that were missing before, as far as the replica knows
	Most  time.Duration // for those that one operation can take, at least a full bucket

	Settled bool
	// Debt is for those that are missing now, if it is settled. Known and Debt are negative if the bucket is full for
	// that time.
	Debt time.Duration
}

// Hint names a record that may have changed: 16 bytes of the SHA-256 of its id.
type Hint = [16]byte

// Fleet is this replica's part of the fleet. It must be closed.
type Fleet struct {
	config Config
	target Target
	id     string // 11 characters, also the sender of hints
	link   *link
	state  state
	hints  *hints
	// settleSHA is the SHA-1 by which Redis knows settleScript.
	settleSHA string

	ledger Ledger
	reads  *quota.Pool // documents that are read at the same time
	writes writes
	counts counters

	ctx   context.Context // cancelled by Close
	stop  context.CancelFunc
	tasks sync.WaitGroup
}

// Open checks the configuration, and reads the password file. It makes no connection.
func Open(c Config) (*Fleet, error) {
	target, err := c.URL.Parse()
	if err != nil {
		return nil, err
	}
	if _, err := c.password(""); err != nil {
		return nil, err
	}
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails
	f := &Fleet{
		config: c, target: target, id: base64.RawURLEncoding.EncodeToString(id[:]), settleSHA: fmt.Sprintf("%x", sha1.Sum([]byte(settleScript))),
		reads: quota.NewPool(maxReads, 1), writes: writes{waiting: make(chan document, maxWrites)},
	}
	f.state = state{fleet: f, replicas: 1, why: "not connected yet"}
	f.state.away.Store(true)
	f.counts = newCounters()
	f.ctx, f.stop = context.WithCancel(context.Background())
	f.link = &link{servers: c.servers(f.ctx, target), observe: func(took time.Duration) { f.counts.latency.Observe(took.Seconds()) }}
	f.hints = newHints(f, id)
	return f, nil
}

// Start connects to Redis in the background, settles the buckets of a ledger, and calls a function for hints of other
// replicas.
func (f *Fleet) Start(ledger Ledger, hinted func([]Hint)) {
	f.ledger, f.hints.receive = ledger, hinted
	for _, task := range []func(){f.probe, f.follow, f.settle, f.write, f.hints.publish, f.hints.subscribe} {
		f.tasks.Go(func() { f.run(task) })
	}
}

// Close ends the connections and the background work.
func (f *Fleet) Close() {
	f.stop()
	f.link.close()
	f.tasks.Wait()
}

// run runs a task until Close, again after a panic.
func (f *Fleet) run(task func()) {
	defer f.recover()
	for f.ctx.Err() == nil {
		f.runOnce(task)
		delay.Sleep(f.ctx, reconnectDelay)
	}
}

func (f *Fleet) runOnce(task func()) {
	defer f.recover()
	task()
}

func (f *Fleet) recover() {
	if panicked := recover(); panicked != nil {
		f.config.Log.Error("panic in the fleet", "type", fmt.Sprintf("%T", panicked))
	}
}
