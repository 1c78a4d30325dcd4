package gateway_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"

	"pixgraph/gateway"
	"pixgraph/internal/certs/certstest"
	"pixgraph/internal/filewatch"
	"pixgraph/test/gatewaytest"
	"pixgraph/test/replica"
)

// secured is a gateway with TLS.
type secured struct {
	*replica.Replica
	t   *testing.T
	box *replica.Sandbox
	ca  *certstest.CA
	dir string // has the certificate and its key
}

// startSecured starts a gateway with a certificate of a new CA. Its client uses HTTP/2.
func startSecured(t *testing.T, flags ...string) *secured {
	t.Helper()
	s := &secured{t: t, box: replica.NewSandbox(t), ca: certstest.New(t, "ca"), dir: t.TempDir()}
	cert, key := s.ca.Issue(t, time.Hour*24).Write(t, s.dir)
	s.Replica = s.box.Start(t, append(flags, "--tls-cert="+cert, "--tls-key="+key)...)
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
	transport := &http.Transport{
		DialContext: s.Network.DialContext, TLSClientConfig: config, Protocols: new(http.Protocols), MaxIdleConnsPerHost: 8,
	}
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
func (s *secured) serial() string {
	s.t.Helper()
	conn, err := s.Network.DialContext(s.t.Context(), "tcp", s.Address())
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close()
	secure := tls.Client(conn, &tls.Config{RootCAs: s.ca.Pool(), ServerName: "127.0.0.1"})
	if err := secure.Handshake(); err != nil {
		s.t.Fatal(err)
	}
	return secure.ConnectionState().PeerCertificates[0].SerialNumber.String()
}

// TestTLS: each protocol and version gets the same response. Without TLS there is no response of the gateway.
func TestTLS(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startSecured(t)
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
		plain := s.Client
		if plain.URL = "http://" + s.Address(); plain.Get("/").Status != http.StatusBadRequest {
			t.Error("without TLS there is a response of the gateway")
		}
		if log := s.Stderr.String(); !strings.Contains(log, `"tls":true`) || strings.Contains(log, `"level":"ERROR"`) {
			t.Errorf("the log is %s", log)
		}
		if status := s.Admin.Get("/healthz").Status; status != http.StatusOK {
			t.Errorf("/healthz of the admin address, which has no TLS: %d", status)
		}
	})
}

// TestSandboxOverTLS: with TLS, the sandbox and its issuer have URLs of https too, and the printed commands use them.
func TestSandboxOverTLS(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ca := certstest.New(t, "ca")
		cert, key := ca.Issue(t, time.Hour*24).Write(t, t.TempDir())
		s := &secured{Replica: replica.Start(t, gateway.Process{}, "--tls-cert="+cert, "--tls-key="+key), t: t, ca: ca}
		s.HTTP = s.client(t, true, nil)
		s.Token = string(s.Get("/sandbox/token").Body)
		s.Query("{ deposits { totalCount } }").WantOK()
		local := strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
		for _, want := range []string{"GraphiQL  " + local + "/\n", "TOKEN=$(curl -s " + local + "/sandbox/token)", `curl -sg "` + local + "/graphql?"} {
			if !strings.Contains(s.Stdout.String(), want) {
				t.Errorf("%s lacks %s", s.Stdout, want)
			}
		}
	})
}

// awaitReload waits until the gateway has looked at its files again.
func awaitReload() {
	time.Sleep(filewatch.Every)
	synctest.Wait()
}

// TestCertificateChange: while clients send requests on kept connections and on new ones, the certificate changes
// several times. No request fails, no kept connection ends, and new connections get the new certificate.
func TestCertificateChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startSecured(t)
		var served [3]atomic.Int64
		var ended atomic.Int64 // kept connections that the gateway has ended
		kept := []*http.Client{s.client(t, false, nil), s.client(t, true, nil)}
		for _, client := range kept {
			client.Transport.(*http.Transport).DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := s.Network.DialContext(ctx, network, address)
				return &endingConn{Conn: conn, ended: &ended}, err
			}
		}
		var clients sync.WaitGroup
		ctx, stop := context.WithCancel(t.Context())
		for i := range 9 {
			clients.Go(func() {
				for kind := i % 3; ctx.Err() == nil; time.Sleep(time.Second + time.Duration(i)*time.Millisecond) {
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
		for range 4 {
			next := s.ca.Issue(t, time.Hour*24)
			certstest.Write(t, s.dir, "tls.crt", next.Cert[:100]) // as a slow copy would leave it
			awaitReload()
			next.Write(t, s.dir)
			awaitReload()
			if got, want := s.serial(), next.TLS(t).Leaf.SerialNumber.String(); got != want {
				t.Errorf("a new connection has the certificate %s, want %s", got, want)
			}
		}
		stop()
		clients.Wait()
		for kind := range served {
			if n := served[kind].Load(); n < 3*4*5 {
				t.Errorf("%d requests of kind %d", n, kind)
			}
		}
		if n := ended.Load(); n > 0 {
			t.Errorf("%d kept connections ended", n)
		}
		if log := s.Stderr.String(); strings.Count(log, "certificates reloaded") != 4 || strings.Count(log, "cannot be loaded") != 4 {
			t.Errorf("the log is %s", log)
		}
	})
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
	synctest.Test(t, func(t *testing.T) {
		first, next := certstest.New(t, "first"), certstest.New(t, "next")
		dir := t.TempDir()
		s := startSecured(t, "--tls-client-ca="+certstest.Write(t, dir, "ca.crt", first.PEM), "--log-level=debug")
		with := func(ca *certstest.CA, http2 bool, sessions tls.ClientSessionCache) *http.Client {
			pair := ca.Issue(t, time.Hour*24, "client").TLS(t)
			return s.client(t, http2, func(c *tls.Config) {
				c.ClientSessionCache = sessions
				c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
			})
		}
		refused := func(name string, client *http.Client) {
			t.Helper()
			if resp, err := client.Get(s.URL); err == nil {
				_ = resp.Body.Close()
				t.Errorf("%s: status %d", name, resp.StatusCode)
			}
			// A request may fail as it is written, before its client reads the alert.
			conn, err := s.Network.DialContext(t.Context(), "tcp", s.Address())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			config := client.Transport.(*http.Transport).TLSClientConfig.Clone()
			config.ServerName = "127.0.0.1"
			if _, err := tls.Client(conn, config).Read(make([]byte, 1)); err == nil || !strings.Contains(err.Error(), "remote error: tls: ") {
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

		certstest.Write(t, dir, "ca.crt", next.PEM)
		awaitReload()
		s.as(with(next, false, nil)).Query("{ deposits { totalCount } }").WantOK()
		for _, client := range kept {
			s.as(client).Query("{ deposits { totalCount } }").WantOK()
			synctest.Wait()
			refused("a connection from before the change", client)
		}
		if _, ok := sessions.Get("127.0.0.1"); !ok {
			t.Error("the client has no session to resume")
		}
		refused("a session from before the change", with(first, false, sessions))
		for _, reason := range []string{"the client has no certificate", "the client's certificate is not of tls_client_ca, or has expired"} {
			if !strings.Contains(s.Stderr.String(), `"class":"tls","reason":"`+reason) {
				t.Errorf("the log lacks %q", reason)
			}
		}
	})
}

// TestUnverifiedSocket: a WebSocket whose client must be verified again begins no operation, whatever else it does; its
// streams continue until then.
func TestUnverifiedSocket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, next := certstest.New(t, "first"), certstest.New(t, "next")
		dir := t.TempDir()
		s := startSecured(t, "--tls-client-ca="+certstest.Write(t, dir, "ca.crt", first.PEM))
		open := func(valid time.Duration) net.Conn {
			pair := first.Issue(t, valid, "client").TLS(t)
			conn := s.Socket(ws.Dialer{TLSConfig: &tls.Config{RootCAs: s.ca.Pool(), ServerName: "127.0.0.1", Certificates: []tls.Certificate{pair}}})
			s.WantMessage(conn, `{"type":"connection_init","payload":{"Authorization":"Bearer `+s.Token+`"}}`, "connection_ack")
			return conn
		}
		for _, setting := range []string{"tls_cert", "tls_client_ca"} {
			if !strings.Contains(scrape(s.Replica), fmt.Sprintf("pixgraph_certificate_not_after_timestamp_seconds{setting=%q} 9", setting)) {
				t.Errorf("no metric says when %s expires", setting)
			}
		}
		const query = `{"type":"subscribe","id":"1","payload":{"query":"{ __typename }"}}`
		want := func(conn net.Conn) {
			t.Helper()
			s.WantMessage(conn, `{"type":"ping"}`, "pong")
			calls := s.box.Counters().Core
			if err := wsutil.WriteClientText(conn, []byte(strings.Replace(query, "__typename", "deposits { totalCount }", 1))); err != nil {
				t.Fatal(err)
			}
			frame, err := ws.ReadFrame(conn)
			if code, _ := ws.ParseCloseFrameData(frame.Payload); err != nil || code != 1012 || s.box.Counters().Core != calls {
				t.Errorf("%d, %v, %d calls: %s", code, err, s.box.Counters().Core-calls, frame.Payload)
			}
		}
		short, long := open(time.Hour+20*time.Second), open(24*time.Hour) // from an hour ago
		for _, conn := range []net.Conn{short, long} {
			s.WantMessage(conn, query, `"next"`)
			s.WantMessage(conn, `{"type":"ping"}`, "complete")
			if text, err := wsutil.ReadServerText(conn); string(text) != `{"type":"pong"}` {
				t.Errorf("%s, %v", text, err)
			}
		}
		time.Sleep(21 * time.Second)
		want(short)
		certstest.Write(t, dir, "ca.crt", next.PEM)
		awaitReload()
		want(long)
	})
}
