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

// balancer is a small load balancer with round robin. It polls the readiness of its backends and sends no request to one
// that is not ready. It does not retry, so a request that a gateway drops is a failed request.
type balancer struct {
	url       string
	transport *http.Transport

	mu       sync.Mutex
	backends []*backend
	next     int
}

type backend struct {
	*running
	proxy  *httputil.ReverseProxy
	ready  bool // guarded by balancer.mu, like the fields below
	active int  // requests under way
	served int
}

func newBalancer(t *testing.T) *balancer {
	t.Helper()
	b := &balancer{transport: &http.Transport{MaxIdleConnsPerHost: 32}}
	server := httptest.NewServer(b)
	b.url = server.URL
	t.Cleanup(func() {
		server.Close()
		b.transport.CloseIdleConnections()
	})
	return b
}

// add waits until a gateway is ready and adds it to the backends.
func (b *balancer) add(t *testing.T, r *running) *backend {
	t.Helper()
	to := &backend{running: r, proxy: httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: r.at.public})}
	to.proxy.Transport = b.transport
	b.mu.Lock()
	b.backends = append(b.backends, to)
	b.mu.Unlock()
	waitFor(t, func() bool { return b.checkReady(t, to) })
	return to
}

// checkReady updates the readiness of a backend.
func (b *balancer) checkReady(t *testing.T, to *backend) bool {
	t.Helper()
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
			to.active++
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
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		to.active--
		to.served++
	}()
	to.proxy.ServeHTTP(w, r)
}

// count returns the numbers of running and served requests of a backend.
func (b *balancer) count(of *backend) (active, served int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return of.active, of.served
}

// replace stops a gateway as an orchestrator does: it signals the gateway, the balancer sees that the gateway is not
// ready, and shutdown_delay ends when the gateway has no more requests.
func (b *balancer) replace(t *testing.T, old *backend, over chan<- time.Time) {
	t.Helper()
	_, before := b.count(old)
	old.stop()
	waitFor(t, func() bool { return !b.checkReady(t, old) })
	waitFor(t, func() bool { active, _ := b.count(old); return active == 0 })
	over <- time.Time{}
	err := <-old.done
	old.done <- err
	if err != nil {
		t.Fatalf("the gateway ended with %v", err)
	}
	if _, served := b.count(old); served == 0 || before == 0 {
		t.Error("the gateway has served no request")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.backends = slices.DeleteFunc(b.backends, func(each *backend) bool { return each == old })
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
	for name, each := range map[string]*backend{"third": third, "fourth": fourth} {
		if _, served := b.count(each); served == 0 {
			t.Errorf("the %s gateway served no request", name)
		}
		each.stop()
	}
	close(over)
}
