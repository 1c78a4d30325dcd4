package fleet

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// message is a message as a server delivers it.
func message(text string) string {
	return fmt.Sprintf("*3\r\n$7\r\nmessage\r\n$5\r\nhints\r\n$%d\r\n%s\r\n", len(text), text)
}

// TestFlood: a replica stops listening to many messages, or to a large one, for a while, and neither fails nor keeps
// them.
func TestFlood(t *testing.T) {
	hint := strings.Repeat("x", senderSize+perMessage*len(Hint{}))
	for name, flood := range map[string]string{
		"many messages":                    strings.Repeat(message(hint), 2000),
		"a large message":                  message(strings.Repeat("x", maxMessage+1)),
		"one that is too large to be read": "*3\r\n$7\r\nmessage\r\n$5\r\nhints\r\n$500000000\r\n" + strings.Repeat("x", 1<<10),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, heard := &scripted{}, 0
				var mu sync.Mutex
				s.set(alone, working)
				f := s.open(t, "redis://"+alone, io.Discard)
				f.Start(&counted{}, func(hints []Hint) {
					mu.Lock()
					defer mu.Unlock()
					heard += len(hints)
				})
				time.Sleep(3 * reconnectDelay) // until the subscription
				subscribed := len(s.sent("SUBSCRIBE"))
				conn := s.made()[len(s.made())-1]
				go func() { _, _ = io.WriteString(conn, flood) }()
				time.Sleep(reconnectDelay / 4)
				if n, err := conn.Write([]byte("x")); err == nil {
					t.Errorf("the connection still takes %d bytes", n)
				}
				time.Sleep(2 * reconnectDelay)
				if n := len(s.sent("SUBSCRIBE")); n != subscribed {
					t.Errorf("%d subscriptions soon after the flood, %d before", n, subscribed)
				}
				time.Sleep(2 * floodPause)
				if n := len(s.sent("SUBSCRIBE")); n != subscribed+1 {
					t.Errorf("%d subscriptions, %d before", n, subscribed)
				}
				mu.Lock()
				before := heard
				mu.Unlock()
				if stats := f.Stats(); !stats.Up || before > perMessage*perReplica*4 {
					t.Errorf("%d hints of a flood, %+v", before, stats)
				}
				_, _ = io.WriteString(s.made()[len(s.made())-1], message(hint))
				synctest.Wait()
				mu.Lock()
				defer mu.Unlock()
				if heard != before+perMessage {
					t.Errorf("%d hints after it", heard-before)
				}
			})
		})
	}
}

// TestSilence: a replica subscribes again if its own message does not arrive.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{}
		s.set(alone, working)
		f := s.open(t, "redis://"+alone, io.Discard)
		f.Start(&counted{}, func([]Hint) {})
		for i := range 3 {
			time.Sleep(2*silence + probeFor)
			if sent, probes := len(s.sent("SUBSCRIBE")), len(s.sent("PUBLISH")); sent < i+2 || probes < i+1 {
				t.Errorf("%d subscriptions, %d probes", sent, probes)
			}
		}
	})
}

// TestSubscriptionAfterOutage: a new subscription is made after a short outage, in which the old one may have become
// silent.
func TestSubscriptionAfterOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{}
		s.set(alone, working)
		f := s.open(t, "redis://"+alone, io.Discard)
		f.Start(&counted{}, func([]Hint) {})
		for i := range 3 {
			time.Sleep(3 * probeEvery)
			if n := len(s.sent("SUBSCRIBE")); n != i+1 {
				t.Errorf("%d subscriptions after %d outages", n, i)
			}
			s.set(alone, always("-OOM x\r\n"))
			time.Sleep(3 * probeEvery)
			s.set(alone, working)
		}
	})
}
