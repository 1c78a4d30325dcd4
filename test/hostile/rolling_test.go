package hostile

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/test/gatewaytest"
)

// rolling replaces three gateways behind HAProxy by three others, one after the other, under requests and streams. No
// request fails. Each stream comes back with `since`, and none misses that its payment was paid while it moved,
// although the payment changed again.
func rolling(t *testing.T, binary string) {
	t.Parallel() // it mostly waits for the ends of shutdown_delay
	const gateways, clients, streams, groups = 3, 8, 48, 4
	box, proxy := gatewaytest.NewSandbox(t), startHAProxy(t)
	start := func() (*launched, string) {
		l := launch(t, binary, releaseEnviron(), gatewaytest.Flags(box, "--shutdown-delay=3s")...)
		return l, proxy.add(t, l)
	}
	var old [gateways]*launched
	for i := range old {
		old[i], _ = start()
	}
	load := startLoad(t, proxy.url, box.Token(), clients)
	watchers := make([]*watcher, streams)
	for i := range watchers {
		id := box.Ledger().Transactions()[i].ID
		box.Ledger().SetStatus(id, "PENDING")
		watchers[i] = startWatcher(t, proxy.url, box.Token(), id)
		wait(t, watchers[i].begun, "a stream did not begin")
	}
	pay := func(group int) {
		for n := group; n < streams; n += groups {
			box.Ledger().SetStatus(watchers[n].id, "PAID")
			box.Ledger().SetStatus(watchers[n].id, "REFUNDED")
		}
	}
	for i, each := range old {
		load.wantMore(t)
		start()
		load.wantMore(t)
		done := make(chan struct{})
		go func() { defer close(done); each.wantStopped(t) }()
		pay(i) // while the streams of this gateway move
		wait(t, done, "a gateway did not end")
	}
	load.wantMore(t)
	pay(gateways) // the last group, whose streams have all moved
	var moved int
	var longest time.Duration
	for i, w := range watchers {
		wait(t, w.ended, "a stream did not see its payment")
		if w.err != nil {
			t.Errorf("a stream of %s: %v", w.id, w.err)
		}
		if i%groups == gateways && len(w.gaps) == 0 {
			t.Errorf("the stream of %s did not move", w.id)
		}
		moved, longest = moved+len(w.gaps), max(longest, slices.Max(append(w.gaps, 0)))
	}
	t.Logf("%d requests, %d streams that moved %d times, and were current again within %s", load.stop(), streams, moved, longest.Round(time.Millisecond))
}

// load are clients that send queries one after the other over their own connections.
type load struct {
	answered atomic.Int64
	ended    atomic.Bool
	sending  sync.WaitGroup
}

func startLoad(t *testing.T, url, token string, clients int) *load {
	l := &load{}
	transport := &http.Transport{MaxIdleConnsPerHost: clients}
	t.Cleanup(func() {
		l.stop()
		transport.CloseIdleConnections()
	})
	for range clients {
		l.sending.Go(func() {
			for !l.ended.Load() {
				if err := sendQuery(&http.Client{Transport: transport, Timeout: timeout}, url, token); err != nil {
					t.Errorf("a request failed: %v", err)
					return
				}
				l.answered.Add(1)
			}
		})
	}
	return l
}

// sendQuery sends a query. The HTTP client cannot repeat the request, because its body can be read only once.
func sendQuery(client *http.Client, url, token string) error {
	resp, err := client.Do(newRequest(context.Background(), url, token, io.NopCloser(strings.NewReader(good)), int64(len(good))))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && string(body) != `{"data":{"deposits":{"totalCount":50}}}` {
		err = fmt.Errorf("response %d %s", resp.StatusCode, body)
	}
	return err
}

func newRequest(ctx context.Context, url, token string, body io.Reader, length int64) *http.Request {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/graphql", body)
	if err != nil {
		panic(err) // the URL of HAProxy is valid
	}
	req.ContentLength = length
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	return req
}

// wantMore waits for more responses, so that each step runs under load.
func (l *load) wantMore(t *testing.T) {
	t.Helper()
	target := l.answered.Load() + 100
	await(t, "there are no responses", func() bool { return l.answered.Load() >= target || t.Failed() })
}

// stop ends the clients and returns the number of their responses.
func (l *load) stop() int64 {
	l.ended.Store(true)
	l.sending.Wait()
	return l.answered.Load()
}

// watcher is a client that waits until its payment was paid, and subscribes again whenever its stream ends before.
type watcher struct {
	id           string
	begun, ended chan struct{}
	since        *string         // updatedAt of the last event
	gaps         []time.Duration // from the end of a stream to the first event of the next one
	err          error
}

func startWatcher(t *testing.T, url, token, id string) *watcher {
	w := &watcher{id: id, begun: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(w.ended)
		begin := sync.OnceFunc(func() { close(w.begun) })
		defer begin()
		for left := time.Now(); ; {
			final, events, err := w.follow(t.Context(), url, token, func() {
				if isClosed(w.begun) {
					w.gaps = append(w.gaps, time.Since(left))
				}
				begin()
			})
			if w.err = err; err != nil || final {
				return
			}
			if events > 0 {
				left = time.Now()
			}
		}
	}()
	return w
}

// isClosed reports whether a channel is closed.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// follow reads the events of one stream, and calls first at its first one. final reports whether the last event was
// read; a stream that a gateway rejects because it drains has no events.
func (w *watcher) follow(ctx context.Context, url, token string, first func()) (final bool, events int, err error) {
	body, err := json.Marshal(object{
		"query":     `subscription Moved($id: ID!, $since: DateTime) { transaction(id: $id, until: [PAID], since: $since) { status updatedAt } }`,
		"variables": object{"id": w.id, "since": w.since},
	})
	if err != nil {
		return false, 0, err
	}
	req := newRequest(ctx, url, token, strings.NewReader(string(body)), int64(len(body)))
	req.Header.Set("Accept", "text/event-stream")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false, 0, err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusServiceUnavailable {
		return false, 0, nil
	}
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		text, found := strings.CutPrefix(lines.Text(), "data: ")
		if !found {
			continue
		}
		var event struct {
			Data struct {
				Transaction *struct{ Status, UpdatedAt string }
			}
			Extensions struct {
				Live struct {
					Reason string
					Final  bool
				}
			}
		}
		if err := json.Unmarshal([]byte(text), &event); err != nil || event.Data.Transaction == nil {
			return false, events, fmt.Errorf("event %s: %w", text, err)
		}
		if events++; events == 1 {
			first()
		}
		w.since = &event.Data.Transaction.UpdatedAt
		if live := event.Extensions.Live; live.Final {
			if live.Reason != "REACHED" { // with the status REFUNDED, or PAID if it was read between the two changes
				err = errors.New(text)
			}
			return true, events, err
		}
	}
	return false, events, nil // the stream ended, or its connection did
}
