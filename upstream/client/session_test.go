package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// TestSessionsDoNotShareMemory runs sessions in parallel and one after the other, each with its own records. Memory that one
// releases must not be part of a record of another that has not ended. With the race detector, memory that is released is
// overwritten immediately.
func TestSessionsDoNotShareMemory(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		id := strings.TrimPrefix(r.URL.Path, "/request/")
		fmt.Fprintf(w, `{"id":%q,"hash":%q}`, id, strings.Repeat(id, 1000))
	})
	c := newClient(t, server.URL)
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for round := range 50 {
				ctx, end := c.openSession(context.Background(), time.Time{})
				var read []*upstream.Notification
				var ids []string
				for i := range 4 {
					id := fmt.Sprintf("ntf_%d_%d_%d", worker, round, i)
					n, err := c.Notification(ctx, id)
					if err != nil {
						t.Error(err)
						return
					}
					ids, read = append(ids, id), append(read, n)
				}
				for i, n := range read {
					if hash, err := n.Hash(); err != nil || hash.String() != strings.Repeat(ids[i], 1000) {
						t.Errorf("%s: %.40q, %v", ids[i], hash, err)
					}
				}
				end()
			}
		})
	}
	group.Wait()
}

// TestEndDoesNotWait: a call whose caller did not wait for it reads on after End, and its memory belongs to no other session.
func TestEndDoesNotWait(t *testing.T) {
	held, release := make(chan struct{}), make(chan struct{})
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/late") {
			close(held)
			<-release
		}
		id := strings.TrimPrefix(r.URL.Path, "/request/")
		fmt.Fprintf(w, `{"id":%q,"hash":"of %s"}`, id, id)
	})
	c := newClient(t, server.URL)
	ctx, end := c.openSession(context.Background(), time.Time{})
	early, err := c.Notification(ctx, "early")
	if err != nil {
		t.Fatal(err)
	}
	late := make(chan *upstream.Notification)
	go func() {
		n, _ := c.Notification(ctx, "late")
		late <- n
	}()
	<-held
	end() // releases nothing: the call may be about to read its response
	close(release)
	for want, n := range map[string]*upstream.Notification{"of early": early, "of late": <-late} {
		if hash, err := n.Hash(); err != nil || hash.String() != want {
			t.Errorf("%q, %v, want %q", hash, err, want)
		}
	}
}

// TestSeenResponse: a call whose response the operation has seen fails with ErrUnchanged, and one with another response does not.
func TestSeenResponse(t *testing.T) {
	text := `{"id":"ntf_01","status":"SENT"}`
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) })
	c := newClient(t, server.URL)
	var seen client.Digest
	read := func() error {
		session := c.Open(client.Operation{Bearer: "token", Seen: &seen})
		defer session.End()
		_, err := session.Notification(t.Context(), "ntf_01")
		return err
	}
	for i, want := range []error{nil, client.ErrUnchanged, client.ErrUnchanged} {
		if err := read(); !errors.Is(err, want) {
			t.Errorf("call %d: %v, want %v", i, err, want)
		}
	}
	text = `{"id":"ntf_01","status":"FAILED"}`
	if err := read(); err != nil {
		t.Error(err)
	}
	seen = client.Digest{}
	if err := read(); err != nil {
		t.Error(err)
	}
}
