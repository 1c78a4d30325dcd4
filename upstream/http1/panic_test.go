package http1_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/upstream/http1"
)

// panickyContext panics in Err when the test has set panics.
type panickyContext struct {
	context.Context
	panics *atomic.Bool
}

func (c panickyContext) Err() error {
	if c.panics.Load() {
		panic("a broken invariant")
	}
	return c.Context.Err()
}

// TestAPanicClosesTheConnection: a panic during an exchange closes its connection.
func TestAPanicClosesTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var panics atomic.Bool
		closed := make(chan struct{})
		s := serve(t, func(p *peer) {
			if p.request() {
				panics.Store(true)
				p.write("HTTP/1.1 404 X\r\nContent-Length: 2\r\n\r\n{") // the drain of the rest calls Err of the context
				p.gone()
				close(closed)
			}
		})
		host := newHost(t, s)
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			_, _ = host.Get(panickyContext{context.Background(), &panics}, http1.Request{Target: "/", Deadline: time.Now().Add(time.Hour)})
		}()
		<-closed
		if host.Idle() != 0 {
			t.Errorf("%d idle connections", host.Idle())
		}
	})
}
