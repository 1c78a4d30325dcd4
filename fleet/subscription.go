package fleet

import (
	"errors"
	"time"

	"github.com/gomodule/redigo/redis"
)

// subscribe receives hints, on a connection of its own: many messages must not delay the answers of commands.
func (h *hints) subscribe() {
	for h.fleet.ctx.Err() == nil {
		pause := jitter(reconnectDelay)
		if !h.fleet.state.isAway() && h.listen() {
			pause = floodPause
		}
		h.wait(pause)
	}
}

// wait waits until the next attempt: less if Redis is used again.
func (h *hints) wait(pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-h.resubscribe:
	case <-h.fleet.ctx.Done():
	}
}

// listen receives hints on one connection until that fails, and reports whether messages were too many or too large.
func (h *hints) listen() (flooded bool) {
	conn, err := h.fleet.link.dial()
	if err != nil {
		h.fleet.counts.refuse(reason(err))
		return false
	}
	defer conn.Close()
	messages := make(chan []byte) // while nobody receives, Redis waits, and ends the connection if that takes long
	ended, left := make(chan error, 1), make(chan struct{})
	defer close(left)
	h.fleet.tasks.Go(func() {
		defer h.fleet.recover()
		defer close(ended)
		ended <- receive(conn, h.channel(), func() {}, func(message []byte) {
			select {
			case messages <- message:
			case <-left:
			}
		})
	})
	probe := time.NewTimer(jitter(silence))
	defer probe.Stop()
	for probing := false; ; {
		select {
		case err := <-ended:
			h.fleet.counts.refuse(reason(err))
			return errors.Is(err, errLarge)
		case <-h.fleet.ctx.Done():
			return false
		case <-h.resubscribe:
			return false
		case m := <-messages:
			if probing = false; h.received(m, time.Now()) {
				return true
			}
			probe.Reset(jitter(silence))
		case <-probe.C:
			if probing || h.fleet.state.isAway() { // nothing was heard although this replica sent a message
				return false
			}
			probing = true
			h.send(h.sender[:])
			probe.Reset(probeFor)
		}
	}
}

// receive subscribes to a channel and handles its messages, until the connection ends.
func receive(conn redis.Conn, channel string, subscribed func(), handle func(message []byte)) error {
	s := redis.PubSubConn{Conn: conn}
	if err := s.Subscribe(channel); err != nil {
		return err
	}
	for {
		switch event := s.ReceiveWithTimeout(0).(type) {
		case error:
			return event
		case redis.Subscription:
			subscribed()
		case redis.Message:
			handle(event.Data)
		}
	}
}

// received handles a message, and reports whether it is too large, or there were too many in this second.
func (h *hints) received(message []byte, now time.Time) (flooded bool) {
	if second := now.Unix(); second != h.second {
		h.second, h.messages = second, 0
	}
	if h.messages++; h.messages > perReplica*(min(h.fleet.state.seen(), mostSenders)+1) || len(message) > maxMessage {
		h.fleet.counts.hints["dropped"].Add(1)
		return true
	}
	const size = len(Hint{})
	n := (len(message) - senderSize) / size
	if len(message) < senderSize || n > perMessage || len(message) != senderSize+n*size {
		h.fleet.counts.hints["dropped"].Add(1)
		return false
	}
	if string(message[:senderSize]) == string(h.sender[:]) || n == 0 {
		return false
	}
	list := make([]Hint, n)
	for i := range list {
		copy(list[i][:], message[senderSize+i*size:])
	}
	h.fleet.counts.hints["received"].Add(uint64(n))
	h.receive(list)
	return false
}
