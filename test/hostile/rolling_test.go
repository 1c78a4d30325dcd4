package hostile

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
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

// The load of a rolling update, which docs/deploy.md has figures of.
var (
	rollingQueries  = flag.Int("queries", 3000, "at least as many queries during a rolling update")
	rollingDownload = flag.Duration("download", 5*time.Second, "at least as long takes each download during a rolling update")
)

// rolling restarts two gateways behind a proxy with its configuration of deploy/, one after the other, under requests,
// streams and downloads. No request fails, and each download is whole. Each stream comes back with `since`, and none
// misses that its payment was paid while it moved, although the payment changed again.
func rolling(t *testing.T, binary string, kind balancerKind) {
	t.Parallel() // it mostly waits for the ends of shutdown_delay

	const clients, streams, groups = 8, 48, 3 // a group for each gateway, and one more
	box, proxy := gatewaytest.NewSandbox(t), startBalancer(t, kind)
	start := func(i int) *launched {
		return launch(t, binary, releaseEnviron(), gatewaytest.Flags(box,
			"--listen="+proxy.public[i], "--admin-listen="+proxy.admin[i], "--shutdown-delay=3s", "--shutdown-timeout=2m")...)
	}
	running := [2]*launched{start(0), start(1)}
	for _, each := range running {
		proxy.awaitUse(t, each, box.Token())
	}
	load := startLoad(t, proxy, box.Token(), clients)
	watchers := make([]*watcher, streams)
	for i := range watchers {
		id := box.Ledger().Transactions()[i].ID
		box.Ledger().SetStatus(id, "PENDING")
		watchers[i] = startWatcher(t, proxy, box.Token(), id)
		wait(t, watchers[i].begun, "a stream did not begin")
	}
	paid := [groups]time.Time{}
	pay := func(group int) {
		paid[group] = time.Now()
		for n := group; n < streams; n += groups {
			box.Ledger().SetStatus(watchers[n].id, "PAID")
			box.Ledger().SetStatus(watchers[n].id, "REFUNDED")
		}
	}
	slowPages(box)
	var downloads []<-chan string
	for i, each := range running {
		load.wantMore(t, *rollingQueries/4)
		for range 4 { // of which this gateway gets some
			downloads = append(downloads, startDownload(t, proxy, box.Token()))
		}
		load.wantMore(t, *rollingQueries/4)
		done := make(chan struct{})
		go func() { defer close(done); each.wantStopped(t) }()
		pay(i) // while the streams of this gateway move
		<-done // after the downloads
		proxy.awaitUse(t, start(i), box.Token())
	}
	load.wantMore(t, 100)
	pay(len(running)) // the last group, whose streams have all moved
	for _, ended := range downloads {
		if problem := <-ended; problem != "" {
			t.Errorf("a download: %s", problem)
		}
	}
	var moved int
	var gap, latency time.Duration
	for i, w := range watchers {
		wait(t, w.ended, "a stream did not see its payment")
		if w.err != nil {
			t.Errorf("a stream of %s: %v", w.id, w.err)
		}
		if i%groups == len(running) && len(w.gaps) == 0 {
			t.Errorf("the stream of %s did not move", w.id)
		}
		moved += len(w.gaps)
		gap, latency = max(gap, slices.Max(append(w.gaps, 0))), max(latency, w.last.Sub(paid[i%groups]))
	}
	t.Logf("%d requests, %d downloads of at least %s, %d streams that moved %d times, were current again within %s, and showed a change within %s",
		load.stop(), len(downloads), *rollingDownload, streams, moved, gap.Round(time.Millisecond), latency.Round(time.Millisecond))
}

// load are clients that send queries one after the other over their own connections.
type load struct {
	answered atomic.Int64
	ended    atomic.Bool
	sending  sync.WaitGroup
}

func startLoad(t *testing.T, p *balancer, token string, clients int) *load {
	l := &load{}
	t.Cleanup(func() { l.stop() })
	for range clients {
		l.sending.Go(func() {
			for !l.ended.Load() {
				if err := sendQuery(&http.Client{Transport: p.http1, Timeout: timeout}, p.url(), token); err != nil {
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
		panic(err) // the URL of a proxy is valid
	}
	req.ContentLength = length
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	return req
}

// wantMore waits for more responses, so that each step runs under load.
func (l *load) wantMore(t *testing.T, n int) {
	t.Helper()
	target := l.answered.Load() + int64(n)
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
	last         time.Time       // when the last stream ended
	err          error
}

func startWatcher(t *testing.T, p *balancer, token, id string) *watcher {
	w := &watcher{id: id, begun: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(w.ended)
		begin := sync.OnceFunc(func() { close(w.begun) })
		defer begin()
		for {
			final, err := w.follow(t.Context(), p, token, sync.OnceFunc(func() {
				if isClosed(w.begun) {
					w.gaps = append(w.gaps, time.Since(w.last))
				}
				begin()
			}))
			w.last = time.Now()
			if w.err = err; err != nil || final {
				return
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
// read. The proxy hides that a gateway that drains rejects streams.
func (w *watcher) follow(ctx context.Context, p *balancer, token string, first func()) (final bool, err error) {
	body, err := json.Marshal(object{
		"query":     `subscription Moved($id: ID!, $since: DateTime) { transaction(id: $id, until: [PAID], since: $since) { status updatedAt } }`,
		"variables": object{"id": w.id, "since": w.since},
	})
	if err != nil {
		return false, err
	}
	req := newRequest(ctx, p.url(), token, strings.NewReader(string(body)), int64(len(body)))
	req.Header.Set("Accept", "text/event-stream")
	resp, err := p.transport.RoundTrip(req)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return false, fmt.Errorf("status %d", resp.StatusCode)
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
			return false, fmt.Errorf("event %s: %w", text, err)
		}
		first()
		w.since = &event.Data.Transaction.UpdatedAt
		if live := event.Extensions.Live; live.Final {
			if live.Reason != "REACHED" { // with the status REFUNDED, or PAID if it was read between the two changes
				err = errors.New(text)
			}
			return true, err
		}
	}
	return false, nil // the stream ended, or its connection did
}
