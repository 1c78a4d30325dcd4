package gateway_test

import (
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/internal/certs/certstest"
	"pixgraph/internal/egress/egresstest"
	"pixgraph/test/replica"
	"pixgraph/upstream/client"
)

// eachClient runs a test in a bubble with each HTTP client of the APIs.
func eachClient(t *testing.T, test func(t *testing.T, name string)) {
	t.Helper()
	for _, name := range []string{"http1", "net"} {
		t.Run(name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { test(t, name) }) })
	}
}

// TestNetwork: a gateway reaches an API that only a proxy can resolve, with its own authority, that demands a client
// certificate. The token reaches the API and nothing else.
func TestNetwork(t *testing.T) {
	const password = "operator:s3cret-of-the-proxy"
	protocols := map[string]string{"http1": "HTTP/1.1", "net": "HTTP/2.0"}
	eachClient(t, func(t *testing.T, name string) {
		box := replica.NewSandbox(t)
		ca := certstest.New(t, "the authority")
		core := newFront(t, box, "127.0.0.1:0", ca, ca)
		proxy, keys := egresstest.NewProxy(t, box.Network), egresstest.NewProxy(t, box.Network)
		proxy.Credentials, proxy.Names["core.example.com:443"] = password, core.address
		issuer, _ := url.Parse(box.IssuerURL())
		keys.Names[issuer.Host] = issuer.Host
		dir := t.TempDir()
		pair := ca.Issue(t, 24*time.Hour)
		cert, key := pair.Write(t, dir)
		api, _ := url.Parse(core.base)
		r := box.Start(t, "--upstream-http="+name, "--core-url=https://core.example.com"+api.Path,
			"--core-ca="+certstest.Write(t, dir, "ca.crt", ca.PEM), "--core-client-cert="+cert, "--core-client-key="+key,
			"--core-proxy="+proxy.URL, "--core-proxy-credentials="+certstest.Write(t, dir, "proxy", []byte(password+"\n")),
			"--auth-proxy="+keys.URL)
		token := box.Token()
		for range 3 {
			if err := sendOnce(r.HTTP, r.URL+"/graphql", token); err != nil {
				t.Fatalf("%v\n%s", err, r.Stderr)
			}
		}
		if len(box.Calls()) != 6 || core.served.Load() != 6 || !has(&core.protocols, protocols[name]) || !has(&core.shown, "the authority") {
			t.Errorf("%d calls, %d through the front", len(box.Calls()), core.served.Load())
		}
		for _, call := range box.Calls() {
			if got := call.Header.Values("Authorization"); len(got) != 1 || got[0] != "Bearer "+token {
				t.Errorf("%s has another token", call.Path)
			}
			if call.Header.Get("Proxy-Authorization") != "" {
				t.Errorf("%s has the credentials of the proxy", call.Path)
			}
		}
		if proxy.Tunnels.Load() == 0 || keys.Tunnels.Load() == 0 || proxy.Refused.Load()+keys.Refused.Load() != 0 {
			t.Errorf("%d and %d tunnels", proxy.Tunnels.Load(), keys.Tunnels.Load())
		}
		for _, request := range append(proxy.Requests(), keys.Requests()...) {
			if request.Header.Get("Authorization") != "" || request.Method != http.MethodConnect {
				t.Errorf("a proxy got %s with %v", request.Method, request.Header)
			}
		}
		if metric := `pixgraph_certificate_not_after_timestamp_seconds{setting="core_client_cert"} 9.`; !strings.Contains(scrape(r), metric) {
			t.Errorf("no metric says when the client certificate expires")
		}
		log := r.Stderr.String()
		if strings.Contains(log, "s3cret") || !strings.Contains(log, `"core_http":"`+name+" (HTTP/") {
			t.Errorf("the log is\n%s", log)
		}
	})
}

// wantNoRetries fails the test if a gateway has repeated a call to the core: a failure of the first attempt would not
// be seen.
func wantNoRetries(t *testing.T, r *replica.Replica) {
	t.Helper()
	if text := scrape(r); !strings.Contains(text, "\npixgraph_upstream_retries_total{service=\"core\"} 0\n") {
		t.Errorf("calls were repeated: %s", text)
	}
}

// TestCertificatesChangeUnderLoad: connections are replaced all the time under load, and so are the authority of the
// server and the certificate of the gateway. Then the former certificate of the gateway expires. No attempt of a call
// fails.
func TestCertificatesChangeUnderLoad(t *testing.T) {
	eachClient(t, func(t *testing.T, name string) {
		box := replica.NewSandbox(t)
		former, next := certstest.New(t, "former"), certstest.New(t, "next")
		core := newFront(t, box, "127.0.0.1:0", former, former, next)
		dir := t.TempDir()
		first, second := former.Issue(t, 24*time.Hour), next.Issue(t, 100*24*time.Hour)
		cert, key := first.Write(t, dir)
		r := box.Start(t, "--upstream-http="+name, "--core-url="+core.base,
			"--core-ca="+certstest.Write(t, dir, "ca.crt", former.PEM), "--core-client-cert="+cert, "--core-client-key="+key)
		answered, stop := startLoad(t, r.URL, box, 4, 20*time.Second)
		replaced := func() {
			t.Helper()
			connections, responses := core.connections.Load(), answered.Load()
			time.Sleep(3 * client.DefaultConnectionAge)
			if core.connections.Load() < connections+2 || answered.Load() < responses+60 {
				t.Errorf("%d connections and %d responses in three ages", core.connections.Load()-connections, answered.Load()-responses)
			}
		}
		replaced()
		certstest.Write(t, dir, "ca.crt", append(append([]byte{}, former.PEM...), next.PEM...))
		second.Write(t, dir)
		replaced()
		if n := strings.Count(r.Stderr.String(), "certificates reloaded"); n != 2 || !has(&core.shown, "next") {
			t.Errorf("%d reloads", n)
		}
		core.use(t, next)
		core.ahead.Store(int64(48 * time.Hour))
		replaced()
		stop()
		wantNoRetries(t, r)
	})
}

// TestAddressChangesUnderLoad: when the address of a name changes, all calls go to the new one after the maximum age of
// a connection. No attempt of a call fails.
func TestAddressChangesUnderLoad(t *testing.T) {
	eachClient(t, func(t *testing.T, name string) {
		box := replica.NewSandbox(t)
		former := newFront(t, box, "127.0.0.1:0", nil)
		_, port, _ := net.SplitHostPort(former.address)
		next := newFront(t, box, "127.0.0.2:"+port, nil)
		box.Network.SetName("core.pixgraph.test", "127.0.0.1")
		r := box.Start(t, "--upstream-http="+name, "--core-url="+strings.Replace(former.base, "127.0.0.1", "core.pixgraph.test", 1))
		_, stop := startLoad(t, r.URL, box, 4, 20*time.Second)
		time.Sleep(2 * client.DefaultConnectionAge)
		if former.connections.Load() < 2 || next.connections.Load() != 0 {
			t.Errorf("%d connections before the change, %d to an address that the name does not have", former.connections.Load(), next.connections.Load())
		}
		box.Network.SetName("core.pixgraph.test", "127.0.0.2")
		time.Sleep(client.DefaultConnectionAge)
		before, seen := former.served.Load(), next.served.Load()
		time.Sleep(client.DefaultConnectionAge)
		stop()
		if former.served.Load() > before || next.served.Load() < seen+20 {
			t.Errorf("%d calls to the former address, %d to the new one", former.served.Load()-before, next.served.Load()-seen)
		}
		wantNoRetries(t, r)
	})
}
