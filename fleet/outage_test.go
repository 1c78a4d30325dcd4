package fleet

import (
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// counted is a ledger that records by how many replicas the rates are divided, and how many charges are settled.
type counted struct {
	mu               sync.Mutex
	divided, settled int
}

// Unsettled implements Ledger: there is always something to settle.
func (c *counted) Unsettled(int) []Charge { return []Charge{{Key: "a", Units: 1, Used: time.Second}} }

// Settled implements Ledger.
func (c *counted) Settled(charges []Charge, _ int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if charges[0].Settled {
		c.settled++
	}
}

// Divide implements Ledger.
func (c *counted) Divide(replicas int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.divided = replicas
}

// Unite implements Ledger.
func (c *counted) Unite() { c.Divide(1) }

func (c *counted) now() (divided, settled int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.divided, c.settled
}

// working answers the commands of one of two replicas.
func working(words []string) string {
	switch words[0] {
	case "GETRANGE":
		return "$0\r\n\r\n"
	case "SUBSCRIBE":
		return "*3\r\n$9\r\nsubscribe\r\n$5\r\nhints\r\n:1\r\n"
	}
	return always(":2\r\n")(words)
}

// TestOutages: whatever a server does, the replica continues alone, without a wait in a request, and uses the server
// again when that is over. The log has one line a minute about it.
func TestOutages(t *testing.T) {
	for _, tt := range []struct {
		name   string
		script script        // nil refuses connections
		late   time.Duration // by which it answers
		reason string
	}{
		{"gone", nil, 0, reasonConnection},
		{"closes connections", always(hangUp), 0, reasonConnection},
		{"closes connections before they begin", func([]string) string { return hangUp }, 0, reasonConnection},
		{"silent", func([]string) string { return "" }, 0, reasonTimeout},
		{"silent after the beginning", always(""), 0, reasonTimeout},
		{"slow", working, 3 * MaxWait, reasonTimeout},
		{"no server of Redis", func([]string) string { return "HTTP/1.1 400 Bad Request\r\n\r\n" + hangUp }, 0, reasonConnection},
		{"loading", always("-LOADING x\r\n"), 0, reasonNotReady},
		{"full", always("-OOM x\r\n"), 0, reasonFull},
		{"read-only", always("-READONLY x\r\n"), 0, reasonReadOnly},
		{"denied", always("-NOPERM x\r\n"), 0, reasonDenied},
		{"another password", func([]string) string { return "-WRONGPASS x\r\n" }, 0, reasonDenied},
		{"another type", always("*0\r\n"), 0, reasonConnection},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, log, ledger := &scripted{}, &strings.Builder{}, &counted{}
				s.set(alone, working)
				f := s.open(t, "redis://"+alone, log)
				f.Start(ledger, func([]Hint) {})
				time.Sleep(2 * probeEvery)
				if divided, settled := ledger.now(); divided != 1 || settled < 10 || !f.Stats().Up {
					t.Errorf("at first: divided by %d, %d settled, %+v", divided, settled, f.Stats())
				}
				if tt.script != nil {
					s.set(alone, func(words []string) string { time.Sleep(tt.late); return tt.script(words) })
				} else {
					s.leave(alone)
				}
				time.Sleep(5 * probeEvery)
				_, before := ledger.now()
				began := time.Now()
				if _, found := f.Document("caller", [32]byte{1}); found || time.Since(began) > 0 || f.Stats().Up {
					t.Errorf("a search: found %v after %v, %+v", found, time.Since(began), f.Stats())
				}
				f.Hint(Hint{1})
				time.Sleep(2 * logEvery)
				if divided, settled := ledger.now(); divided != 2 || settled != before || f.Stats().Up || f.Stats().Refused[tt.reason] == 0 {
					t.Errorf("in the outage: divided by %d, %d settled, %+v", divided, settled-before, f.Stats())
				}
				s.set(alone, working)
				time.Sleep(3 * probeEvery)
				if divided, settled := ledger.now(); divided != 1 || settled < before+10 || !f.Stats().Up {
					t.Errorf("afterwards: divided by %d, %d settled, %+v", divided, settled-before, f.Stats())
				}
				synctest.Wait()
				if lines := strings.Count(log.String(), "cannot be used"); lines < 2 || lines > 3 {
					t.Errorf("%d lines in two minutes in the log:\n%s", lines, log)
				}
				if text := log.String(); strings.Contains(text, "panic") || strings.Count(text, "the fleet uses Redis") != 2 {
					t.Error(text)
				}
			})
		})
	}
}

// TestWaits: no request waits for a stalled server for longer than the documented 5 ms, and a caller whose searches are
// not answered waits for none.
func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{}
		s.set(alone, always(""))
		f := s.open(t, "redis://"+alone, io.Discard)
		f.state.away.Store(false)
		waited := 0
		took := func(what string, most time.Duration, call func()) {
			began := time.Now()
			call()
			if d := time.Since(began); d > most {
				t.Errorf("%s took %v", what, d)
			} else if d > 0 {
				waited++
			}
		}
		for i := range byte(100) {
			took("a search", 5*time.Millisecond, func() { f.Document("caller", [32]byte{i}) })
			took("a hint", 0, func() { f.Hint(Hint{i}) })
			took("a registration", 0, func() { f.Register("caller", [32]byte{i}, "{a}") })
		}
		if waited < 10 || waited >= maxReads {
			t.Errorf("%d searches waited", waited)
		}
		took("a search of another caller", 5*time.Millisecond, func() { f.Document("another", [32]byte{}) })
		if waited < 11 {
			t.Error("the searches of one caller stop those of others")
		}
	})
}
