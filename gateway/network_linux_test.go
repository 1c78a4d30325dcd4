package gateway

import (
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/internal/certs/certstest"
	"pixgraph/internal/egress/egresstest"
	"pixgraph/test/gatewaytest"
	"pixgraph/upstream/client"
	"pixgraph/upstream/sandbox"
)

// front is a server in front of the sandbox, which has the network that a test needs.
type front struct {
	*httptest.Server
	base        string // the URL of the core API
	served      atomic.Int64
	connections atomic.Int64
	protocols   sync.Map     // of the requests
	shown       sync.Map     // the authorities of client certificates
	pair        atomic.Value // tls.Certificate
	ahead       atomic.Int64 // how much its clock differs
}

// newFront starts a server on an address. ca signs its certificate and those of its clients; nil for plain text.
func newFront(t *testing.T, box *sandbox.Sandbox, address string, ca *certstest.CA, clients ...*certstest.CA) *front {
	t.Helper()
	target, err := url.Parse(box.CoreURL())
	if err != nil {
		t.Fatal(err)
	}
	f := &front{}
	log := slog.NewLogLogger(slog.DiscardHandler, 0)
	backend := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: target.Host}) }, ErrorLog: log,
	}
	f.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.served.Add(1)
		f.protocols.Store(r.Proto, true)
		if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
			f.shown.Store(r.TLS.PeerCertificates[0].Issuer.CommonName, true)
		}
		backend.ServeHTTP(w, r)
	}))
	_ = f.Listener.Close()
	if f.Listener, err = net.Listen("tcp", address); err != nil {
		t.Fatal(err)
	}
	f.Config.ErrorLog = log
	f.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			f.connections.Add(1)
		}
	}
	if ca == nil {
		f.Start()
	} else {
		f.use(t, ca)
		f.EnableHTTP2 = true
		f.TLS = &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			config := f.TLS.Clone()
			config.Certificates, config.GetConfigForClient = []tls.Certificate{f.pair.Load().(tls.Certificate)}, nil
			config.Time = func() time.Time { return time.Now().Add(time.Duration(f.ahead.Load())) }
			return config, nil
		}}
		if len(clients) > 0 {
			f.TLS.ClientAuth, f.TLS.ClientCAs = tls.RequireAndVerifyClientCert, clients[0].Pool()
			for _, other := range clients[1:] {
				f.TLS.ClientCAs.AddCert(other.Cert)
			}
		}
		f.StartTLS()
	}
	t.Cleanup(f.Close)
	f.base = f.URL + target.Path
	return f
}

// use makes the server use a certificate of the authority.
func (f *front) use(t *testing.T, ca *certstest.CA) {
	f.pair.Store(ca.Issue(t, 24*time.Hour, "localhost", "127.0.0.1", "core.example.com").TLS(t))
}

func has(seen *sync.Map, key string) bool {
	_, ok := seen.Load(key)
	return ok
}

// TestNetwork: a gateway reaches an API that only a proxy can resolve, with its own authority, that demands a client
// certificate. The token reaches the API and nothing else.
func TestNetwork(t *testing.T) {
	const password = "operator:s3cret-of-the-proxy"
	for name, protocol := range map[string]string{"http1": "HTTP/1.1", "net": "HTTP/2.0"} {
		t.Run(name, func(t *testing.T) {
			box := gatewaytest.NewSandbox(t)
			ca := certstest.New(t, "the authority")
			core := newFront(t, box, "127.0.0.1:0", ca, ca)
			proxy, keys := egresstest.NewProxy(t), egresstest.NewProxy(t)
			proxy.Credentials, proxy.Names["core.example.com:443"] = password, core.Listener.Addr().String()
			issuer, _ := url.Parse(box.IssuerURL())
			keys.Names[issuer.Host] = issuer.Host
			dir := t.TempDir()
			pair := ca.Issue(t, 24*time.Hour)
			cert, key := pair.Write(t, dir)
			api, _ := url.Parse(core.base)
			r := launch(t, gatewaytest.Flags(box, "--upstream-http="+name, "--core-url=https://core.example.com"+api.Path,
				"--core-ca="+certstest.Write(t, dir, "ca.crt", ca.PEM), "--core-client-cert="+cert, "--core-client-key="+key,
				"--core-proxy="+proxy.URL, "--core-proxy-credentials="+certstest.Write(t, dir, "proxy", []byte(password+"\n")),
				"--auth-proxy="+keys.URL)...)
			token := box.Token()
			for range 3 {
				if err := sendOnce(http.DefaultClient, r.URL+"/graphql", token); err != nil {
					t.Fatalf("%v\n%s", err, r.stderr)
				}
			}
			if len(box.Calls()) != 6 || core.served.Load() != 6 || !has(&core.protocols, protocol) || !has(&core.shown, "the authority") {
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
			if metric := `pixgraph_certificate_not_after_timestamp_seconds{setting="core_client_cert"} 1.`; !strings.Contains(r.scrape(), metric) {
				t.Errorf("no metric says when the client certificate expires")
			}
			log := r.stderr.String()
			if strings.Contains(log, "s3cret") || !strings.Contains(log, `"core_http":"`+name+" (HTTP/") {
				t.Errorf("the log is\n%s", log)
			}
		})
	}
}

// TestProxyOfTheEnvironment: neither calls to the APIs nor fetches of keys use a proxy of the environment.
func TestProxyOfTheEnvironment(t *testing.T) {
	proxy := egresstest.NewProxy(t)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	out, _, code := runCommand(t, "doctor", "--core-url=http://core.invalid", "--dispatcher-url=http://dispatcher.invalid",
		"--auth-issuer=https://issuer.invalid", "--auth-audience=a", "--upstream-timeout=1s")
	if code != exitFailed || strings.Count(out, "cannot be resolved") < 6 {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	if got := len(proxy.Requests()); got != 0 {
		t.Errorf("%d requests to the proxy", got)
	}
}

// launchShortLived starts a gateway that does not retry calls, and whose connections to the APIs may take long and are
// soon too old.
func launchShortLived(t *testing.T, age time.Duration, flags ...string) *running {
	t.Helper()
	return launchAs(t, Process{calls: func(c *client.Config) {
		c.Retries, c.ConnectTimeout, c.ConnectionAge = 0, 40*time.Second, age
	}}, append(flags, "--shutdown-delay=0s")...)
}

// TestCertificatesChangeUnderLoad: connections are replaced all the time under load, and so are the authority of the
// server and the certificate of the gateway, without retries. Then the former certificate of the gateway expires. No
// request fails.
func TestCertificatesChangeUnderLoad(t *testing.T) {
	for _, name := range []string{"http1", "net"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box := gatewaytest.NewSandbox(t)
			former, next := certstest.New(t, "former"), certstest.New(t, "next")
			core := newFront(t, box, "127.0.0.1:0", former, former, next)
			dir := t.TempDir()
			first, second := former.Issue(t, 24*time.Hour), next.Issue(t, 100*24*time.Hour)
			cert, key := first.Write(t, dir)
			ca := certstest.Write(t, dir, "ca.crt", former.PEM)
			r := launchShortLived(t, 20*time.Millisecond, gatewaytest.Flags(box, "--upstream-http="+name, "--upstream-timeout=40s",
				"--core-url="+core.base, "--core-ca="+ca,
				"--core-client-cert="+cert, "--core-client-key="+key)...)
			answered, stop := startLoad(r.URL, box, 4)
			waitFor(t, func() bool { return answered.Load() > 20 && core.connections.Load() > 20 })
			certstest.Write(t, dir, "ca.crt", append(append([]byte{}, former.PEM...), next.PEM...))
			second.Write(t, dir)
			waitFor(t, func() bool {
				return strings.Count(r.stderr.String(), "certificates reloaded") >= 2 && has(&core.shown, "next")
			})
			core.use(t, next)
			core.ahead.Store(int64(48 * time.Hour))
			before := core.connections.Load()
			waitFor(t, func() bool { return core.connections.Load() > before+4 })
			for _, err := range stop() {
				t.Error(err)
			}
		})
	}
}

// TestAddressChangesUnderLoad: when the address of a name changes, all calls go to the new one after the maximum age of
// a connection. No request fails.
func TestAddressChangesUnderLoad(t *testing.T) {
	for _, name := range []string{"http1", "net"} {
		t.Run(name, func(t *testing.T) {
			dns := egresstest.NewDNS(t)
			box := gatewaytest.NewSandbox(t)
			former := newFront(t, box, "127.0.0.1:0", nil)
			_, port, _ := net.SplitHostPort(former.Listener.Addr().String())
			next := newFront(t, box, "127.0.0.2:"+port, nil)
			dns.Set("core.pixgraph.test.", "127.0.0.1")
			base := strings.Replace(former.base, "127.0.0.1", "core.pixgraph.test", 1)
			r := launchShortLived(t, 20*time.Millisecond, gatewaytest.Flags(box, "--upstream-http="+name, "--upstream-timeout=40s",
				"--core-url="+base)...)
			answered, stop := startLoad(r.URL, box, 4)
			waitFor(t, func() bool { return answered.Load() > 20 })
			if next.connections.Load() != 0 {
				t.Error("a connection to an address that the name does not have")
			}
			dns.Set("core.pixgraph.test.", "127.0.0.2")
			waitFor(t, func() bool { return next.served.Load() > 20 })
			waitFor(t, func() bool { // the former connections are too old, and nothing makes new ones
				before := former.served.Load()
				seen := next.served.Load()
				waitFor(t, func() bool { return next.served.Load() > seen+20 })
				return former.served.Load() == before
			})
			for _, err := range stop() {
				t.Error(err)
			}
			if former.connections.Load() < 2 {
				t.Errorf("%d connections before the change", former.connections.Load())
			}
		})
	}
}
