package redis

import (
	"crypto/sha256"
	"crypto/tls"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"pixgraph/fleet"
	"pixgraph/internal/leaktest"
	"pixgraph/internal/redistest"
	"pixgraph/test/gatewaytest"
)

func TestMain(m *testing.M) {
	_ = flag.Set("test.parallel", "8") // these tests wait for servers
	leaktest.Main(m)
}

// notShort skips a test in the short pass of make test, and lets it run next to others otherwise.
func notShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("make verify runs it")
	}
	t.Parallel()
}

const prefix = "pixgraph:"

// replica is a part of a fleet, with a ledger and the hints that it received.
type replica struct {
	*fleet.Fleet
	t   *testing.T
	log *gatewaytest.Log

	mu      sync.Mutex
	taken   []fleet.Charge
	settled []fleet.Charge
	divided int
	hints   []fleet.Hint
}

// join starts a replica, which ends with the test.
func join(t *testing.T, config fleet.Config) *replica {
	t.Helper()
	r := &replica{t: t, log: &gatewaytest.Log{}, divided: 1}
	config.Prefix, config.Documents, config.Log = prefix, 32<<10, slog.New(slog.NewTextHandler(r.log, nil))
	config.Dial, config.TLS = new(net.Dialer).DialContext, func() *tls.Config { return nil }
	f, err := fleet.Open(config)
	must(t, err)
	r.Fleet = f
	f.Start(r, func(hints []fleet.Hint) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.hints = append(r.hints, hints...)
	})
	t.Cleanup(f.Close)
	return r
}

// joinUp joins a replica that waits for Redis however busy the machine is, and returns when it uses Redis.
func joinUp(t *testing.T, url fleet.URL) *replica {
	t.Helper()
	r := join(t, fleet.Config{URL: url, Patience: time.Hour})
	r.awaitUp(true)
	return r
}

func urlOf(address string) fleet.URL { return fleet.URL("redis://" + address) }

func (r *replica) awaitUp(up bool) {
	r.t.Helper()
	await(r.t, fmt.Sprintf("a replica whose use of Redis is %v", up), func() bool { return r.Stats().Up == up })
}

// Unsettled implements fleet.Ledger.
func (r *replica) Unsettled(most int) []fleet.Charge {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := min(most, len(r.taken))
	charges := slices.Clone(r.taken[:n])
	r.taken = slices.Delete(r.taken, 0, n)
	return charges
}

// Settled implements fleet.Ledger.
func (r *replica) Settled(charges []fleet.Charge, _ int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.settled = append(r.settled, charges...)
}

// Divide implements fleet.Ledger.
func (r *replica) Divide(replicas int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.divided = replicas
}

// Unite implements fleet.Ledger.
func (r *replica) Unite() { r.Divide(1) }

// divisor returns the number of replicas by which rates are divided.
func (r *replica) divisor() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.divided
}

// take settles charges, and returns the answers in their order.
func (r *replica) take(charges ...fleet.Charge) []fleet.Charge {
	r.t.Helper()
	r.mu.Lock()
	r.taken, r.settled = append(r.taken, charges...), nil
	r.mu.Unlock()
	await(r.t, "settled charges", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return len(r.settled) == len(charges)
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.settled
}

// heard returns the hints that arrived.
func (r *replica) heard() []fleet.Hint {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.hints)
}

// register registers a document and waits until it is written.
func (r *replica) register(text string) [sha256.Size]byte {
	r.t.Helper()
	hash, before := sha256.Sum256([]byte(text)), r.Stats().Documents["written"]
	r.Register("caller", hash, text)
	await(r.t, "a written document", func() bool { return r.Stats().Documents["written"] > before })
	return hash
}

// await waits until something is there. Shortly before go test ends the test, it says what was not.
func await(t *testing.T, what string, isThere func() bool) {
	t.Helper()
	for end, ok := t.Deadline(); !isThere(); time.Sleep(5 * time.Millisecond) {
		if ok && time.Until(end) < 10*time.Second {
			t.Fatalf("waited for %s", what)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// command sends a command of an administrator.
func command(t *testing.T, s *redistest.Server, args ...string) string {
	t.Helper()
	answer, err := s.Command(args...)
	must(t, err)
	return answer
}
