package gateway

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/test/gatewaytest"
	"pixgraph/upstream/sandbox"
)

// balancer is a small load balancer with round robin. It sends no request to a gateway that was not ready when it was
// last asked. It does not retry, so a request that a gateway drops is a failed request.
type balancer struct {
	url string

	mu       sync.Mutex
	backends []*backend
	next     int
}

type backend struct {
	*running
	proxy  *httputil.ReverseProxy
	ready  bool         // guarded by balancer.mu
	active atomic.Int64 // requests under way
	served atomic.Int64
}

func newBalancer(t *testing.T) *balancer {
	t.Helper()
	b := &balancer{}
	server := httptest.NewServer(b)
	b.url = server.URL
	t.Cleanup(server.Close)
	return b
}

// add waits until a gateway is ready and adds it to the backends.
func (b *balancer) add(t *testing.T, r *running) *backend {
	t.Helper()
	to := &backend{running: r, proxy: httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: r.at.public})}
	transport := &http.Transport{MaxIdleConnsPerHost: 32}
	to.proxy.Transport = transport
	t.Cleanup(transport.CloseIdleConnections)
	b.mu.Lock()
	b.backends = append(b.backends, to)
	b.mu.Unlock()
	waitFor(t, func() bool { return b.checkReady(to) })
	return to
}

// checkReady updates the readiness of a backend.
func (b *balancer) checkReady(to *backend) bool {
	status := to.admin.Get("/readyz").Status
	b.mu.Lock()
	defer b.mu.Unlock()
	to.ready = status == http.StatusOK
	return to.ready
}

// pick returns the backend for the next request.
func (b *balancer) pick() *backend {
	b.mu.Lock()
	defer b.mu.Unlock()
	for range b.backends {
		b.next++
		if to := b.backends[b.next%len(b.backends)]; to.ready {
			to.active.Add(1)
			return to
		}
	}
	return nil
}

func (b *balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	to := b.pick()
	if to == nil {
		http.Error(w, "no gateway is ready", http.StatusBadGateway)
		return
	}
	defer to.active.Add(-1)
	defer to.served.Add(1)
	to.proxy.ServeHTTP(w, r)
}

// replace stops a gateway as an orchestrator does: it signals the gateway, the balancer sees that the gateway is not
// ready, and shutdown_delay ends when the gateway has no more requests.
func (b *balancer) replace(t *testing.T, old *backend, over chan<- time.Time) {
	t.Helper()
	old.stop()
	waitFor(t, func() bool { return !b.checkReady(old) })
	waitFor(t, func() bool { return old.active.Load() == 0 })
	over <- time.Time{}
	err := <-old.done
	if old.done <- nil; err != nil || old.served.Load() == 0 {
		t.Fatalf("the gateway served %d requests and ended with %v", old.served.Load(), err)
	}
}

// startLoad starts clients that send operations, one after the other, until stop is called, which returns their errors.
func startLoad(url string, box *sandbox.Sandbox, clients int) (answered *atomic.Int64, stop func() []error) {
	answered = &atomic.Int64{}
	var ended atomic.Bool
	var sending sync.WaitGroup
	failed := make([]error, clients)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	for i := range clients {
		token := box.Token()
		sending.Go(func() {
			for !ended.Load() && failed[i] == nil {
				failed[i] = sendOnce(client, url+"/graphql", token)
				answered.Add(1)
			}
		})
	}
	return answered, func() []error {
		ended.Store(true)
		sending.Wait()
		client.CloseIdleConnections()
		return slices.DeleteFunc(failed, func(err error) bool { return err == nil })
	}
}

// sendOnce sends one operation. The HTTP client cannot retry the request, because its body can be read only once.
func sendOnce(client *http.Client, url, token string) error {
	const document = `{"query":"{ deposits(perPage: 2) { totalCount } withdrawals(perPage: 1) { totalCount } }"}`
	req, err := http.NewRequest(http.MethodPost, url, io.NopCloser(strings.NewReader(document)))
	if err != nil {
		return err
	}
	req.ContentLength = int64(len(document))
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if want := `{"data":{"deposits":{"totalCount":50},"withdrawals":{"totalCount":50}}}`; err == nil && string(body) != want {
		err = fmt.Errorf("response %d %s", resp.StatusCode, body)
	}
	return err
}

// TestRollingRestart replaces two gateways behind a load balancer with two new ones, one at a time, under load. No
// request fails.
func TestRollingRestart(t *testing.T) {
	box := gatewaytest.NewSandbox(t)
	b := newBalancer(t)
	over := make(chan time.Time)
	first := b.add(t, launchWith(t, over, gatewaytest.Flags(box)...))
	second := b.add(t, launchWith(t, over, gatewaytest.Flags(box)...))
	answered, stop := startLoad(b.url, box, 8)
	more := func() { // more requests, so that each step runs under load
		t.Helper()
		least := answered.Load() + 100
		waitFor(t, func() bool { return answered.Load() >= least })
	}
	more()
	b.replace(t, first, over)
	more()
	third := b.add(t, launchWith(t, over, gatewaytest.Flags(box)...))
	more()
	b.replace(t, second, over)
	more()
	fourth := b.add(t, launchWith(t, over, gatewaytest.Flags(box)...))
	more()
	for _, err := range stop() {
		t.Errorf("a request failed: %v", err)
	}
	for _, each := range []*backend{third, fourth} {
		if each.served.Load() == 0 {
			t.Error("a new gateway served no request")
		}
		each.stop()
	}
	close(over)
}
