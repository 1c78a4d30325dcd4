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
	"testing/synctest"
	"time"

	"pixgraph/internal/quota"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// TestSessionsDoNotShareMemory runs sessions in parallel and one after the other, each with its own records. Memory
// that one releases must not be part of a record of another that has not ended. With the race detector, memory that is
// released is overwritten immediately.
func TestSessionsDoNotShareMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := serve(t, func(w http.ResponseWriter, r *http.Request) {
			id := strings.TrimPrefix(r.URL.Path, "/request/")
			_, _ = io.WriteString(w, `{"id":"`+id+`","hash":"`+strings.Repeat(id, 1000)+`"}`)
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
						if hash, err := upstream.RawOf(n).Text("hash", true); err != nil || hash.String() != strings.Repeat(ids[i], 1000) {
							t.Errorf("%s: %.40q, %v", ids[i], hash, err)
						}
					}
					end()
				}
			})
		}
		group.Wait()
	})
}

// TestEndDoesNotWait: a call whose caller did not wait for it reads on after End, and its memory belongs to no other
// session.
func TestEndDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
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
		must(t, err)
		late := make(chan *upstream.Notification)
		go func() {
			n, _ := c.Notification(ctx, "late")
			late <- n
		}()
		<-held
		end() // releases nothing: the call may be about to read its response
		close(release)
		for want, n := range map[string]*upstream.Notification{"of early": early, "of late": <-late} {
			if hash, err := upstream.RawOf(n).Text("hash", true); err != nil || hash.String() != want {
				t.Errorf("%q, %v, want %q", hash, err, want)
			}
		}
	})
}

// TestSeenResponse: a call whose response the operation has seen fails with ErrUnchanged, and one with another response
// does not.
func TestSeenResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
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
		wantOK(t, read())
		seen = client.Digest{}
		wantOK(t, read())
	})
}

// TestPartsReleaseMemory: an operation that ends each part of its calls reads more than it may hold, and holds nothing
// afterwards, also if two operations share the responses.
func TestPartsReleaseMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		arrived, release := make(chan struct{}, 100), make(chan struct{})
		defer close(release)
		body := fmt.Sprintf(`{"id":"ntf_01","hash":%q}`, strings.Repeat("h", 200<<10))
		server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			arrived <- struct{}{}
			<-release
			_, _ = w.Write([]byte(body))
		})
		c := newClient(t, server.URL, withCoalescing, oneAtATime)
		memory := quota.NewMemory(16 << 20)
		open := func() *client.Session {
			account := quota.NewAccount(memory, "a", quota.Limits{Read: 500 << 10})
			t.Cleanup(account.Release)
			return c.Open(client.Operation{Bearer: "t", Caller: "a", Account: account})
		}
		operations := []*client.Session{open(), open()}
		for range 10 {
			var calls sync.WaitGroup
			calls.Go(func() {
				_, _ = c.Open(client.Operation{Bearer: "other", Caller: "b"}).Notification(t.Context(), "ntf_00")
			})
			<-arrived // the next calls wait to be sent
			for _, operation := range operations {
				calls.Go(func() {
					part := operation.Part()
					defer part.End()
					if n, err := part.Notification(t.Context(), "ntf_01"); err != nil {
						t.Error(err)
					} else if hash, err := upstream.RawOf(n).Text("hash", true); err != nil || len(hash.String()) != 200<<10 {
						t.Error(len(hash), err)
					}
				})
			}
			wantJoined(t, c, 1)
			release <- struct{}{}
			<-arrived
			release <- struct{}{}
			calls.Wait()
		}
		for _, operation := range operations {
			operation.Account.Trim()
		}
		if used, _ := memory.Used(); used != 0 {
			t.Errorf("%d bytes are held", used)
		}
	})
}
