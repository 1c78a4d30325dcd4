package gateway_test

import (
	"context"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/sandbox"
	"pixgraph/test/replica"
)

// balancer is a small load balancer with round robin. It sends no request to a gateway that was not ready when it was
// last asked. It does not retry, so a request that a gateway drops is a failed request.
type balancer struct {
	mu       sync.Mutex
	backends []*backend
	next     int
}

type backend struct {
	*replica.Replica
	proxy  *httputil.ReverseProxy
	ready  bool // guarded by balancer.mu, like served
	served int
}

// add starts a gateway and adds it to the backends.
func (b *balancer) add(t *testing.T, box *replica.Sandbox) *backend {
	t.Helper()
	to := &backend{Replica: box.Start(t)}
	to.proxy = httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: to.Address()})
	transport := &http.Transport{DialContext: to.Network.DialContext, MaxIdleConnsPerHost: 32}
	to.proxy.Transport = transport
	t.Cleanup(transport.CloseIdleConnections)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.backends = append(b.backends, to)
	return to
}

// check asks the backends every second whether they are ready.
func (b *balancer) check(ctx context.Context) {
	for ; ctx.Err() == nil; time.Sleep(time.Second) {
		b.mu.Lock()
		backends := b.backends
		b.mu.Unlock()
		for _, each := range backends {
			resp, err := each.HTTP.Get(each.Admin.URL + "/readyz")
			if err == nil {
				_ = resp.Body.Close()
			}
			b.mu.Lock()
			each.ready = err == nil && resp.StatusCode == http.StatusOK
			b.mu.Unlock()
		}
	}
}

// pick returns the backend for the next request.
func (b *balancer) pick() *backend {
	b.mu.Lock()
	defer b.mu.Unlock()
	for range b.backends {
		b.next++
		if to := b.backends[b.next%len(b.backends)]; to.ready {
			to.served++
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
	to.proxy.ServeHTTP(w, r)
}

// TestRollingRestart replaces two gateways behind a load balancer with two new ones, one at a time, under load. No
// request fails.
func TestRollingRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box, b := replica.NewSandbox(t), &balancer{}
		box.Inject(sandbox.Fault{Latency: 300 * time.Millisecond}) // so that requests run at any time
		backends := []*backend{b.add(t, box), b.add(t, box)}
		go b.check(t.Context())
		synctest.Wait()
		answered, stop := startLoad(t, box.Network.Serve(t, b), box, 8, 70*time.Millisecond)
		more := func() {
			t.Helper()
			before := answered.Load()
			time.Sleep(10 * time.Second)
			if n := answered.Load() - before; n < 100 {
				t.Errorf("%d responses in 10 seconds", n)
			}
		}
		more()
		for i := range 2 {
			old := backends[i]
			old.Stop() // as an orchestrator does
			more()     // which is longer than the default of shutdown_delay
			wantStopped(t, old.Replica)
			backends = append(backends, b.add(t, box))
			more()
		}
		stop()
		for i, each := range backends {
			if each.served < 50 {
				t.Errorf("gateway %d served %d requests", i, each.served)
			}
		}
	})
}
