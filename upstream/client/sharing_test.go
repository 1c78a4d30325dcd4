package client_test

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// TestSharedErrors: each coalesced call gets its own copy of an error, because a list modifies it.
func TestSharedErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		arrived, release := make(chan struct{}), make(chan struct{})
		server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			arrived <- struct{}{}
			<-release
			w.WriteHeader(http.StatusNotFound)
		})
		c := newClient(t, server.URL, withCoalescing)
		got := make(chan error, 3)
		call := func() { got <- listDeposits(callContext("a", "t"), c) }
		go call()
		<-arrived
		go call()
		go call()
		wantJoined(t, c, 2)
		close(release)
		seen := map[*upstream.Error]bool{}
		for range cap(got) {
			var failed *upstream.Error
			if err := <-got; !errors.As(err, &failed) || failed.Kind != upstream.KindInvalidResponse || failed.Status != 404 || seen[failed] {
				t.Errorf("%#v", failed)
			}
			seen[failed] = true
		}
	})
}

// TestSharedBodiesAreNotPooled: the end of one operation does not change the records of another one that shares the
// body. With the race detector, memory that returns to the pool is overwritten.
func TestSharedBodiesAreNotPooled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int32
		arrived, release := make(chan struct{}, 2), make(chan struct{})
		server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			n.Add(1)
			arrived <- struct{}{}
			<-release
			_, _ = w.Write([]byte(`{"id":"ntf_01","hash":"kept"}`))
		})
		c := newClient(t, server.URL, withCoalescing)
		type read struct {
			notification *upstream.Notification
			end          func()
		}
		reads := make(chan read, 2)
		call := func() {
			ctx, end := c.openSession(callContext("a", "t"), time.Time{})
			notification, err := c.Notification(ctx, "ntf_01")
			if err != nil {
				t.Error(err)
			}
			reads <- read{notification, end}
		}
		go call()
		<-arrived
		go call()
		wantJoined(t, c, 1)
		close(release)
		first, second := <-reads, <-reads
		first.end()
		if hash, err := second.notification.Hash(); err != nil || hash.String() != "kept" {
			t.Errorf("%s, %v", hash, err)
		}
		second.end()
		if n.Load() != 1 {
			t.Errorf("%d calls", n.Load())
		}
	})
}

// TestBackgroundCallFailsAlone: a call that joined a call of low priority, which is not retried, is.
func TestBackgroundCallFailsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		arrived, release := make(chan struct{}), make(chan struct{})
		server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			if calls.Add(1) > 1 {
				_, _ = w.Write([]byte(emptyPage))
				return
			}
			close(arrived)
			<-release
			w.WriteHeader(http.StatusServiceUnavailable)
		})
		c := newClient(t, server.URL, withCoalescing)
		background, joined := make(chan error, 1), make(chan error, 1)
		go func() {
			_, err := c.Open(client.Operation{Bearer: "t", Caller: "a", Background: true}).Deposits(context.Background(), nil, client.PageRequest{})
			background <- err
		}()
		<-arrived
		go func() { joined <- listDeposits(callContext("a", "t"), c) }()
		wantJoined(t, c, 1)
		close(release)
		if err := <-background; upstream.KindOf(err) != upstream.KindServerError {
			t.Errorf("the call of low priority: %v", err)
		}
		if err := <-joined; err != nil {
			t.Errorf("the call that joined it: %v", err)
		}
		if n := calls.Load(); n != 2 {
			t.Errorf("%d requests", n)
		}
	})
}

// TestNoCache: calls that are made one after the other are not coalesced.
func TestNoCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler, calls := sequence(respondWith(emptyPage))
		c := newClient(t, serve(t, handler).URL, withCoalescing)
		for range 3 {
			if err := listDeposits(callContext("a", "t"), c); err != nil {
				t.Fatal(err)
			}
		}
		if calls.Load() != 3 || c.Stats()[0].Coalesced != 0 {
			t.Errorf("%d calls", calls.Load())
		}
	})
}
