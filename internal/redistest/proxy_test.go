package redistest

import (
	"io"
	"testing"
	"time"
)

func TestProxyDelay(t *testing.T) {
	p := StartProxy(t, Start(t).Address())
	conn := dial(t, p.Address())
	ping(t, conn)
	pong(t, conn)
	const delay = 50 * time.Millisecond
	p.Delay(delay)
	began := time.Now()
	for range 3 { // together, so their delays do not add up
		ping(t, conn)
	}
	for range 3 {
		reply := make([]byte, len("+PONG\r\n"))
		_ = conn.SetReadDeadline(time.Now().Add(timeout))
		if _, err := io.ReadFull(conn, reply); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(began); took < 2*delay {
		t.Errorf("an answer after %v with a delay of %v in each direction", took, delay)
	}
}

func TestProxySilence(t *testing.T) {
	p := StartProxy(t, Start(t).Address())
	old := dial(t, p.Address())
	ping(t, old)
	pong(t, old)
	p.Silence(true)
	fresh := dial(t, p.Address())
	ping(t, old)
	ping(t, fresh)
	silent(t, old)
	silent(t, fresh)
	p.Silence(false)
	pong(t, old)
	pong(t, fresh)
	p.Silence(true) // and the test ends
	ping(t, old)
}

func TestProxyCut(t *testing.T) {
	s := Start(t)
	p := StartProxy(t, s.Address())
	p.Cut(false)
	old := dial(t, p.Address())
	ping(t, old)
	pong(t, old)
	p.Cut(true)
	closed(t, old)
	closed(t, dial(t, p.Address()))
	p.Cut(false)
	fresh := dial(t, p.Address())
	ping(t, fresh)
	pong(t, fresh)
	s.Kill()
	closed(t, fresh)
	closed(t, dial(t, p.Address()))
}
