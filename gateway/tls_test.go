package gateway

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/internal/certs/certstest"
	"pixgraph/test/gatewaytest"
	"pixgraph/upstream/sandbox"
)

// secured is a gateway with TLS.
type secured struct {
	*running
	box   *sandbox.Sandbox
	ca    *certstest.CA
	dir   string         // has the certificate and its key
	ticks chan time.Time // trigger the checks for changed certificates
	over  chan time.Time // ends shutdown_delay
}

// launchSecured starts a gateway with a certificate of a new CA. Its client uses HTTP/2.
func launchSecured(t *testing.T, flags ...string) *secured {
	t.Helper()
	s := &secured{box: gatewaytest.NewSandbox(t), ca: certstest.New(t, "ca"), dir: t.TempDir()}
	s.ticks, s.over = make(chan time.Time), make(chan time.Time)
	cert, key := s.ca.Issue(t, time.Hour*24).Write(t, s.dir)
	flags = append([]string{"--tls-cert=" + cert, "--tls-key=" + key}, flags...)
	p := Process{after: func(time.Duration) <-chan time.Time { return s.over }, cacheDir: t.TempDir(), certTicks: s.ticks,
		environ: []string{"PIXGRAPH_SHUTDOWN_DELAY=0s"}}
	s.running = launchAs(t, p, gatewaytest.Flags(s.box, flags...)...)
	s.URL = "https://" + s.at.public
	s.Token, s.HTTP = s.box.Token(), s.client(t, true, nil)
	return s
}

// client returns a client with connections of its own. change may be nil.
func (s *secured) client(t *testing.T, http2 bool, change func(*tls.Config)) *http.Client {
	t.Helper()
	config := &tls.Config{RootCAs: s.ca.Pool()}
	if change != nil {
		change(config)
	}
	transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: http2, Protocols: new(http.Protocols), MaxIdleConnsPerHost: 8}
	transport.Protocols.SetHTTP1(!http2)
	transport.Protocols.SetHTTP2(http2)
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// as returns the gateway's client with another HTTP client.
func (s *secured) as(client *http.Client) gatewaytest.Client {
	c := s.Client
	c.HTTP = client
	return c
}

// serial returns the serial number of the certificate that a new connection gets.
func (s *secured) serial(t *testing.T) string {
	t.Helper()
	conn, err := tls.Dial("tcp", s.at.public, &tls.Config{RootCAs: s.ca.Pool()})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	return conn.ConnectionState().PeerCertificates[0].SerialNumber.String()
}

// TestTLS: each protocol and version gets the same response. Without TLS there is no response of the gateway.
func TestTLS(t *testing.T) {
	s := launchSecured(t)
	want := string(s.Query("{ deposits(perPage: 50) { nodes { id amount } } }").WantOK().Body)
	for _, http2 := range []bool{false, true} {
		for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
			client := s.client(t, http2, func(c *tls.Config) { c.MinVersion, c.MaxVersion = version, version })
			resp, err := client.Get(s.URL + "/")
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if resp.ProtoAtLeast(2, 0) != http2 || resp.TLS.Version != version || resp.StatusCode != http.StatusOK {
				t.Errorf("%s over %s: %d", resp.Proto, tls.VersionName(resp.TLS.Version), resp.StatusCode)
			}
			if got := string(s.as(client).Query("{ deposits(perPage: 50) { nodes { id amount } } }").WantOK().Body); got != want {
				t.Errorf("%s over %s: the response is %s, want %s", resp.Proto, tls.VersionName(version), got, want)
			}
		}
	}
	old := s.client(t, false, func(c *tls.Config) { c.MinVersion, c.MaxVersion = tls.VersionTLS10, tls.VersionTLS11 })
	if _, err := old.Get(s.URL); err == nil {
		t.Error("TLS 1.1 is accepted")
	}
	if resp, err := http.Get("http://" + s.at.public); err != nil || resp.StatusCode != http.StatusBadRequest {
		t.Errorf("without TLS: %v, %v", resp, err)
	}
	if log := s.stderr.String(); !strings.Contains(log, `"tls":true`) || strings.Contains(log, `"level":"ERROR"`) {
		t.Errorf("the log is %s", log)
	}
	if status := s.admin.Get("/healthz").Status; status != http.StatusOK {
		t.Errorf("/healthz of the admin address, which has no TLS: %d", status)
	}
}

// TestSandboxOverTLS: with TLS, the sandbox and its issuer have URLs of https too, and the printed commands use them.
func TestSandboxOverTLS(t *testing.T) {
	ca := certstest.New(t, "ca")
	cert, key := ca.Issue(t, time.Hour*24).Write(t, t.TempDir())
	r := launch(t, "--tls-cert="+cert, "--tls-key="+key)
	s := &secured{running: r, ca: ca}
	r.URL, r.HTTP = "https://"+r.at.public, s.client(t, true, nil)
	r.Token = strings.TrimSpace(string(r.Get("/sandbox/token").Body))
	r.Query("{ deposits { totalCount } }").WantOK()
	local := "https://localhost" + r.at.public[strings.LastIndex(r.at.public, ":"):]
	for _, want := range []string{"GraphiQL  " + local + "/\n", "TOKEN=$(curl -s " + local + "/sandbox/token)", `curl -sg "` + local + "/graphql?"} {
		if !strings.Contains(r.stdout.String(), want) {
			t.Errorf("%s lacks %s", r.stdout, want)
		}
	}
}

// TestCertificateChange: while clients send requests on kept connections and on new ones, the certificate changes
// several times. No request fails, no kept connection ends, and new connections get the new certificate.
func TestCertificateChange(t *testing.T) {
	s := launchSecured(t)
	var served [3]atomic.Int64
	var ended atomic.Int64 // kept connections that the gateway has ended; a client may open more than it needs
	kept := []*http.Client{s.client(t, false, nil), s.client(t, true, nil)}
	for _, client := range kept {
		client.Transport.(*http.Transport).DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, network, address)
			return &endingConn{Conn: conn, ended: &ended}, err
		}
	}
	var clients sync.WaitGroup
	stop := make(chan struct{})
	for i := range 9 {
		clients.Go(func() {
			for kind := i % 3; ; {
				select {
				case <-stop:
					return
				default:
				}
				client := s.client(t, i%2 == 0, nil)
				if kind < len(kept) {
					client = kept[kind]
				}
				resp, err := client.Get(s.URL + "/schema.graphql")
				if err != nil || resp.StatusCode != http.StatusOK {
					t.Errorf("a request of kind %d failed: %v, %v", kind, resp, err)
					return
				}
				_, _ = io.Copy(io.Discard, resp.Body) // a connection whose response was not read is not kept
				_ = resp.Body.Close()
				if kind == len(kept) {
					client.CloseIdleConnections()
				}
				served[kind].Add(1)
			}
		})
	}
	more := func() { // waits for requests of each kind
		for kind := range served {
			before := served[kind].Load()
			waitFor(t, func() bool { return served[kind].Load() > before+5 || t.Failed() })
		}
	}
	more()
	for range 4 {
		next := s.ca.Issue(t, time.Hour*24)
		certstest.Write(t, s.dir, "tls.crt", next.Cert[:100]) // as a slow copy would leave it
		s.ticks <- time.Time{}
		more()
		next.Write(t, s.dir)
		s.ticks <- time.Time{}
		waitFor(t, func() bool { return s.serial(t) == next.TLS(t).Leaf.SerialNumber.String() })
		more()
	}
	close(stop)
	clients.Wait()
	if n := ended.Load(); n > 0 {
		t.Errorf("%d kept connections ended", n)
	}
	if log := s.stderr.String(); strings.Count(log, "certificates reloaded") != 4 || strings.Count(log, "cannot be loaded") != 4 {
		t.Errorf("the log is %s", log)
	}
}

// endingConn counts connections that end before the client closes them.
type endingConn struct {
	net.Conn
	ended  *atomic.Int64
	closed atomic.Bool
}

func (c *endingConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err != nil && c.closed.CompareAndSwap(false, true) {
		c.ended.Add(1)
	}
	return n, err
}

func (c *endingConn) Close() error {
	c.closed.Store(true)
	return c.Conn.Close()
}

// TestClientCertificates: a client without a certificate of the CA gets a TLS alert, whatever it requests, also if it
// resumes a session from before a change of the CA. An open connection ends with the next response after the change,
// without a lost request.
func TestClientCertificates(t *testing.T) {
	first, next := certstest.New(t, "first"), certstest.New(t, "next")
	path := certstest.Write(t, t.TempDir(), "ca.crt", first.PEM)
	s := launchSecured(t, "--tls-client-ca="+path, "--log-level=debug")
	with := func(ca *certstest.CA, http2 bool, sessions tls.ClientSessionCache) *http.Client {
		pair := ca.Issue(t, time.Hour*24, "client").TLS(t)
		return s.client(t, http2, func(c *tls.Config) {
			c.ClientSessionCache = sessions
			c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
		})
	}
	refused := func(name string, client *http.Client) {
		t.Helper()
		resp, err := client.Get(s.URL)
		if err == nil {
			_ = resp.Body.Close()
			t.Errorf("%s: status %d", name, resp.StatusCode)
		} else if !strings.Contains(err.Error(), "remote error: tls: ") {
			t.Errorf("%s: %v, want an alert", name, err)
		}
	}
	sessions := tls.NewLRUClientSessionCache(1)
	kept := []*http.Client{with(first, false, sessions), with(first, true, nil)}
	for _, client := range kept {
		s.as(client).Query("{ deposits { totalCount } }").WantOK()
	}
	refused("no certificate", s.client(t, false, nil))
	refused("a certificate of another CA", with(next, false, nil))

	certstest.Write(t, strings.TrimSuffix(path, "/ca.crt"), "ca.crt", next.PEM)
	s.ticks <- time.Time{}
	s.ticks <- time.Time{} // the first check is complete
	s.as(with(next, false, nil)).Query("{ deposits { totalCount } }").WantOK()
	for _, client := range kept {
		s.as(client).Query("{ deposits { totalCount } }").WantOK()
		waitFor(t, func() bool { return requestFails(client, s.URL) })
	}
	if _, ok := sessions.Get("127.0.0.1"); !ok {
		t.Error("the client has no session to resume")
	}
	refused("a session from before the change", with(first, false, sessions))
	for _, reason := range []string{"the client has no certificate", "the client's certificate is not of tls_client_ca, or has expired"} {
		if !strings.Contains(s.stderr.String(), `"class":"tls","reason":"`+reason) {
			t.Errorf("the log lacks %q", reason)
		}
	}
}

// requestFails reports whether a request gets no response.
func requestFails(client *http.Client, url string) bool {
	resp, err := client.Get(url)
	if err == nil {
		_ = resp.Body.Close()
	}
	return err != nil
}
