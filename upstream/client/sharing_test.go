package client_test

import (
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/upstream"
)

// TestSharedErrors: each coalesced call gets its own copy of an error, because a list modifies it.
func TestSharedErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		arrived, release := make(chan struct{}, 2), make(chan struct{})
		server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			arrived <- struct{}{}
			<-release
			w.WriteHeader(http.StatusNotFound)
		})
		c := newClient(t, server.URL, withCoalescing, oneAtATime)
		go func() { _ = listDeposits(callContext("b", "other"), c) }()
		<-arrived
		got := make(chan error, 3)
		for range cap(got) {
			go func() { got <- listDeposits(callContext("a", "t"), c) }()
		}
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
		c := newClient(t, server.URL, withCoalescing, oneAtATime)
		go func() { _, _ = c.Notification(callContext("b", "other"), "ntf_00") }()
		<-arrived
		type read struct {
			notification *upstream.Notification
			end          func()
		}
		reads := make(chan read, 2)
		call := func() {
			ctx, end := c.openSession(callContext("a", "t"), time.Time{})
			notification, err := c.Notification(ctx, "ntf_01")
			wantOK(t, err)
			reads <- read{notification, end}
		}
		go call()
		go call()
		wantJoined(t, c, 1)
		close(release)
		first, second := <-reads, <-reads
		first.end()
		if hash, err := upstream.RawOf(second.notification).Text("hash", true); err != nil || hash.String() != "kept" {
			t.Errorf("%s, %v", hash, err)
		}
		second.end()
		if n.Load() != 2 {
			t.Errorf("%d calls", n.Load())
		}
	})
}

// TestNoCache: calls that are made one after the other are not coalesced.
func TestNoCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler, calls := sequence(respondWith(emptyPage))
		c := newClient(t, serve(t, handler).URL, withCoalescing)
		for range 3 {
			must(t, listDeposits(callContext("a", "t"), c))
		}
		if calls.Load() != 3 || c.Stats()[0].Coalesced != 0 {
			t.Errorf("%d calls", calls.Load())
		}
	})
}
