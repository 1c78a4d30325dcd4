package fleet

import (
	"sync"
	"time"

	"pixgraph/internal/delay"
)

const (
	// collectFor is the time for which hints are collected for one message, and between two messages.
	collectFor = 10 * time.Millisecond
	// hintEvery is the time between two hints at one record.
	hintEvery = 250 * time.Millisecond
	// perMessage and maxHints bound the hints of a message, and those that are remembered.
	perMessage = 64
	maxHints   = 4096
	senderSize = 8
	// perReplica is the number of messages that a replica sends in a second at most, with some that were late.
	perReplica = int(time.Second/collectFor) * 3 / 2
	// mostSenders bounds the replicas whose messages are expected: other clients of Redis can change their number.
	mostSenders = 100
	// silence is the time without messages after which the subscription is probed, and probeFor the time for that.
	silence    = 30 * time.Second
	probeFor   = 5 * time.Second
	floodPause = 5 * time.Second
	// maxMessage is the size in bytes of a message that counts as a flood alone: that of a gateway has 1,032 at most.
	maxMessage = 64 << 10
)

// hints are the hints that this replica sends and receives.
//
//   - Key: the hint.
//   - Bound: maxHints of 24 bytes, in 400 KiB with the map. What is received is not kept.
//   - Filled by: changes that streams see, and webhooks.
//   - Emptied by: time, 250 ms after a hint was sent.
type hints struct {
	fleet   *Fleet
	sender  [senderSize]byte
	receive func([]Hint)

	mu     sync.Mutex
	known  map[Hint]hintTime
	due    []Hint // to be sent
	wake   chan struct{}
	purged time.Time

	resubscribe chan struct{}
	second      int64 // of the messages that are counted
	messages    int
}

// hintTime is when a hint was sent last, or is to be sent.
type hintTime struct {
	at  time.Time
	due bool
}

func newHints(f *Fleet, sender [senderSize]byte) *hints {
	return &hints{fleet: f, sender: sender, known: map[Hint]hintTime{}, wake: make(chan struct{}, 1), resubscribe: make(chan struct{}, 1)}
}

// Hint tells the other replicas that a record may have changed. It does not wait.
func (f *Fleet) Hint(hint Hint) {
	h, now := f.hints, time.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	last, known := h.known[hint]
	at := now
	switch {
	case last.due:
		return
	case known && now.Sub(last.at) < hintEvery:
		at = last.at.Add(hintEvery)
	}
	if !known && len(h.known) >= maxHints || f.state.isAway() {
		f.counts.hints["dropped"].Add(1)
		return
	}
	h.known[hint], h.due = hintTime{at, true}, append(h.due, hint)
	wake(h.wake)
}

// wake lets a goroutine that waits for a channel continue.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// publish sends the hints.
func (h *hints) publish() {
	for {
		select {
		case <-h.fleet.ctx.Done():
			return
		case <-h.wake:
		}
		for waiting := true; waiting; {
			if !delay.Sleep(h.fleet.ctx, collectFor) {
				return
			}
			var message []byte
			message, waiting = h.next(time.Now())
			if message != nil {
				h.send(message)
			}
		}
	}
}

// next returns a message of hints that are due, nil without any, and whether more of them wait.
func (h *hints) next(now time.Time) (message []byte, more bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	left := h.due[:0]
	for _, hint := range h.due {
		if h.known[hint].at.After(now) || len(message) >= senderSize+perMessage*len(hint) {
			left = append(left, hint)
			continue
		}
		if message == nil {
			message = append(make([]byte, 0, senderSize+perMessage*len(hint)), h.sender[:]...)
		}
		message = append(message, hint[:]...)
		h.known[hint] = hintTime{at: now}
	}
	h.due = left
	if now.Sub(h.purged) >= hintEvery {
		h.purged = now
		for hint, last := range h.known {
			if !last.due && now.Sub(last.at) >= hintEvery {
				delete(h.known, hint)
			}
		}
	}
	return message, len(left) > 0
}

// send publishes a message.
func (h *hints) send(message []byte) {
	sent := uint64(len(message)-senderSize) / uint64(len(Hint{}))
	if _, err := h.fleet.link.sendOne(h.fleet.config.within(), keyless("PUBLISH", h.channel(), message)); err != nil {
		h.fleet.counts.hints["dropped"].Add(sent)
		h.fleet.state.failed(err)
		return
	}
	h.fleet.counts.hints["sent"].Add(sent)
}

// channel is the channel of the hints. Pub/Sub knows no database number, so the prefix separates fleets.
func (h *hints) channel() string { return h.fleet.config.Prefix + "hints" }

// again makes a new subscription: after a failover, the old one may be silent.
func (h *hints) again() { wake(h.resubscribe) }
