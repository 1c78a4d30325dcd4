package redis

import (
	"io"
	"testing"
	"time"

	"pixgraph/internal/redistest"
)

func TestProxyDelay(t *testing.T) {
	notShort(t)
	p := redistest.StartProxy(t, redistest.Start(t).Address())
	conn := dial(t, p.Address())
	ping(t, conn)
	pong(t, conn)
	const delay = 50 * time.Millisecond
	p.Delay(delay)
	began := time.Now()
	for range 3 { // together, so their delays do not add up
		ping(t, conn)
	}
	if _, err := io.ReadFull(conn, make([]byte, 3*len("+PONG\r\n"))); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < 2*delay {
		t.Errorf("answers after %v with a delay of %v in each direction", took, delay)
	}
}

func TestProxyCut(t *testing.T) {
	notShort(t)
	s := redistest.Start(t)
	p := redistest.StartProxy(t, s.Address())
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
