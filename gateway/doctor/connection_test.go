package doctor_test

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pixgraph/gateway/doctor"
	"pixgraph/internal/certs/certstest"
	"pixgraph/internal/egress/egresstest"
	"pixgraph/internal/memnet"
)

const day = 24 * time.Hour

// network is a core API, and what is between it and the doctor.
type network struct {
	*site
	ca, other *certstest.CA // ca is that of the server
	pair      certstest.Pair
	versions  [2]uint16     // of TLS that the server speaks; the zero value for all
	clients   *certstest.CA // of client certificates that the server demands; nil for none
	protocols []string      // of the server
	plain     bool          // whether it speaks no TLS
	server    func(*http.Server)
	proxy     *egresstest.Proxy
	late      bool // whether the doctor writes only when the server waits
	dir       string
	flags     []string
}

func (n *network) file(name string, text []byte) string { return certstest.Write(n, n.dir, name, text) }

// trust makes the doctor trust the server.
func (n *network) trust() { n.flags = append(n.flags, "--core-ca="+n.file("ca.crt", n.ca.PEM)) }

// show makes the doctor show a client certificate.
func (n *network) show(pair certstest.Pair) {
	cert, key := pair.Write(n, n.dir)
	n.flags = append(n.flags, "--core-client-cert="+cert, "--core-client-key="+key)
}

// TestConnection: the report says how a connection was made, or why not and what to do about it.
func TestConnection(t *testing.T) {
	connection := func(result doctor.Result, contains ...string) row { return row{"connection core", result, contains} }
	tests := []struct {
		name string
		set  func(*network)
		rows []row
	}{
		{"the authority is trusted", (*network).trust, []row{connection(doctor.OK, "connected to 127.0.0.1:", "TLS 1.3", "HTTP/2")}},
		{"the server speaks HTTP/1.1", func(n *network) { n.trust(); n.protocols = nil }, []row{connection(doctor.OK, "TLS 1.3", "HTTP/1.1")}},
		{"an unknown authority", func(*network) {}, []row{
			connection(doctor.Fail, "not trusted: the authority", "set core_ca"), {"service core", doctor.Fail, []string{"cannot be verified"}},
		}},
		{"another authority", func(n *network) { n.flags = append(n.flags, "--core-ca="+n.file("ca.crt", n.other.PEM)) },
			[]row{connection(doctor.Fail, "not trusted", "core_ca")}},
		{"no name", func(n *network) { n.trust(); n.pair = n.ca.Issue(n, 100*day, "") },
			[]row{connection(doctor.Fail, "no names, only a common name", "127.0.0.1 as a subject alternative name")}},
		{"another name", func(n *network) { n.trust(); n.pair = n.ca.Issue(n, 100*day, "other.example.com", "192.0.2.1") },
			[]row{connection(doctor.Fail, "not for 127.0.0.1, but for other.example.com, 192.0.2.1", "core_url")}},
		{"an expired certificate", func(n *network) { n.trust(); n.pair = n.ca.IssueFrom(n, time.Now().Add(-2*day), day) },
			[]row{connection(doctor.Fail, "is valid from", "renew it")}},
		{"a certificate of the future", func(n *network) { n.trust(); n.pair = n.ca.IssueFrom(n, time.Now().Add(day), day) },
			[]row{connection(doctor.Fail, "is valid from", "clock")}},
		{"a certificate that expires soon", func(n *network) { n.trust(); n.pair = n.ca.Issue(n, 13*day) },
			[]row{connection(doctor.Warn, "expires at", "renew it")}},
		{"a client certificate is missing", func(n *network) { n.trust(); n.clients, n.late = n.other, true }, []row{
			connection(doctor.Fail, "asks for a client certificate", "core_client_cert"), {"service core", doctor.Fail, []string{"core_client_cert"}},
		}},
		{"a client certificate of another authority", func(n *network) { n.trust(); n.clients = n.other; n.show(n.ca.Issue(n, 100*day)) },
			[]row{{"service core", doctor.Fail, []string{"core_client_cert", "authority"}}}},
		{"a client certificate", func(n *network) { n.trust(); n.clients = n.other; n.show(n.other.Issue(n, 100*day)) },
			[]row{connection(doctor.OK, "asks for"), {"service core", doctor.OK, []string{"401"}}}},
		{"a client certificate that expires soon", func(n *network) { n.trust(); n.clients = n.other; n.show(n.other.Issue(n, day)) },
			[]row{connection(doctor.Warn, "the client certificate expires at", "renew it")}},
		{"a key for every user", func(n *network) {
			n.trust()
			n.show(n.other.Issue(n, 100*day))
			if err := os.Chmod(filepath.Join(n.dir, "tls.key"), 0o644); err != nil {
				n.Fatal(err)
			}
		}, []row{connection(doctor.Warn, "core_client_key lets every user read it", "chmod"), connection(doctor.OK, "HTTP/2")}},
		{"two certificates that expire soon", func(n *network) { n.trust(); n.pair = n.ca.Issue(n, 2*day); n.show(n.other.Issue(n, day)) },
			[]row{connection(doctor.Warn, "the client certificate expires at", "renew it")}},
		{"HTTP/2 only", func(n *network) { n.trust(); n.protocols = []string{"h2"} }, []row{
			connection(doctor.Fail, "does not speak HTTP/1.1", "set upstream_http to net"), {"service core", doctor.Fail, []string{"upstream_http"}},
		}},
		{"HTTP/2 only, with net", func(n *network) {
			n.trust()
			n.protocols, n.flags = []string{"h2"}, append(n.flags, "--upstream-http=net")
		}, []row{connection(doctor.OK, "HTTP/2"), {"service core", doctor.OK, []string{"401"}}}},
		{"HTTP/2 only, by net/http", func(n *network) { n.trust(); n.server = http2Only }, []row{
			connection(doctor.OK, "HTTP/2"), {"service core", doctor.Fail, []string{"speaks HTTP/2 only: set upstream_http to net"}},
		}},
		{"HTTP/2 only, by net/http, with net", func(n *network) {
			n.trust()
			n.server, n.flags = http2Only, append(n.flags, "--upstream-http=net")
		}, []row{connection(doctor.OK, "HTTP/2"), {"service core", doctor.OK, []string{"401"}}}},
		{"HTTP/2 without TLS only", func(n *network) { n.plain, n.server = true, http2Only }, []row{
			{"service core", doctor.Fail, []string{"without TLS (h2c), for which upstream_http has no value", "enable TLS"}},
		}},
		{"HTTP/2 without TLS only, with net", func(n *network) {
			n.plain, n.server, n.flags = true, http2Only, append(n.flags, "--upstream-http=net")
		}, []row{{"service core", doctor.Fail, []string{"h2c"}}}},
		{"TLS 1.1", func(n *network) { n.trust(); n.versions = [2]uint16{tls.VersionTLS10, tls.VersionTLS11} }, []row{
			connection(doctor.Fail, "speaks TLS 1.1 at most", "enable TLS 1.2 or 1.3"),
			{"service core", doctor.Fail, []string{"neither TLS 1.2 nor TLS 1.3", "enable TLS 1.2"}},
		}},
		{"TLS 1.0, of an unknown authority", func(n *network) { n.versions = [2]uint16{tls.VersionTLS10, tls.VersionTLS10} }, []row{
			connection(doctor.Fail, "neither TLS 1.2 nor TLS 1.3", "enable TLS 1.2"),
		}},
		{"TLS 1.2", func(n *network) { n.trust(); n.versions = [2]uint16{tls.VersionTLS12, tls.VersionTLS12} },
			[]row{connection(doctor.OK, "TLS 1.2"), {"service core", doctor.OK, nil}}},
		{"no TLS on the port", func(n *network) { n.plain = true }, []row{connection(doctor.Fail, "does not speak TLS", "port in core_url")}},
		{"through a proxy", func(n *network) { n.trust(); n.proxy = egresstest.NewProxy(n, &n.Network) },
			[]row{connection(doctor.OK, "to 127.0.0.1 through the proxy 127.0.0.1:", "HTTP/2"), {"service core", doctor.OK, []string{"401"}}}},
		{"a proxy that demands credentials", func(n *network) {
			n.proxy = egresstest.NewProxy(n, &n.Network)
			n.proxy.Credentials = "a:b"
		}, []row{
			connection(doctor.Fail, "requires credentials", "set core_proxy_credentials"),
			{"service core", doctor.Fail, []string{"set core_proxy_credentials"}},
		}},
		{"a proxy that refuses", func(n *network) {
			n.flags = append(n.flags, "--core-proxy="+egresstest.NewProxy(n, &n.Network).URL)
		}, []row{connection(doctor.Fail, "the proxy refused the connection", "allow CONNECT"), {"service core", doctor.Fail, []string{"allow CONNECT"}}}},
		{"a proxy that is gone", func(n *network) { n.flags = append(n.flags, "--core-proxy=http://"+n.closedPort()) },
			[]row{connection(doctor.Fail, "the proxy cannot be reached", "core_proxy"), {"service core", doctor.Fail, []string{"core_proxy"}}}},
		{"a proxy that cannot reach the host", func(n *network) {
			proxy, gone := egresstest.NewProxy(n, &n.Network), n.closedPort()
			proxy.Names[gone] = gone
			n.flags = append(n.flags, "--core-proxy="+proxy.URL, "--core-url=https://"+gone)
		}, []row{connection(doctor.Fail, "the proxy cannot reach the server", "core_url"), {"service core", doctor.Fail, []string{"cannot reach", "core_url"}}}},
		{"a host that does not respond", func(n *network) {
			n.flags = append(n.flags, "--core-url=https://"+n.silentPort(), "--upstream-timeout=50ms")
		}, []row{connection(doctor.Fail, "not made within 50ms", "firewall")}},
		{"a host that is gone", func(n *network) { n.flags = append(n.flags, "--core-url=https://"+n.closedPort()) },
			[]row{connection(doctor.Fail, "connection refused")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(s *site) {
				n := &network{site: s, ca: certstest.New(s, "the authority"), other: certstest.New(s, "other"), protocols: []string{"h2", "http/1.1"}, dir: s.TempDir()}
				n.pair = n.ca.Issue(n, 100*day)
				tt.set(n)
				if n.late {
					n.sockets = slow{&n.Network, func() { time.Sleep(time.Millisecond) }}
				}
				expect(s.T, s.run("", n.start()...), tt.rows...)
			})
		})
	}
}

// slow is a network in which the other end acts before each write, such as a server that closes a connection.
type slow struct {
	*memnet.Network
	pause func()
}

// DialContext implements egress.Dialer.
func (s slow) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := s.Network.DialContext(ctx, network, address)
	return slowConn{conn, s.pause}, err
}

type slowConn struct {
	net.Conn
	pause func()
}

// Write implements net.Conn.
func (c slowConn) Write(p []byte) (int, error) {
	c.pause()
	return c.Conn.Write(p)
}

// start starts the API and returns the flags of the doctor.
func (n *network) start() []string {
	unauthorized := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	api := n.Serve(n, unauthorized, func(s *http.Server) {
		s.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
		if n.server != nil {
			n.server(s)
		}
		if !n.plain {
			s.TLSConfig = n.tls()
		}
	})
	if n.plain && n.server == nil {
		api = strings.Replace(api, "http", "https", 1)
	}
	_, address, _ := strings.Cut(api, "://")
	if n.proxy != nil {
		n.proxy.Names[address] = address
		n.flags = append(n.flags, "--core-proxy="+n.proxy.URL)
	}
	if !slices.ContainsFunc(n.flags, func(flag string) bool { return strings.HasPrefix(flag, "--core-url=") }) {
		n.flags = append(n.flags, "--core-url="+api)
	}
	return n.flags
}

// tls is the configuration of the API.
func (n *network) tls() *tls.Config {
	config := &tls.Config{Certificates: []tls.Certificate{n.pair.TLS(n)}, MinVersion: n.versions[0], MaxVersion: n.versions[1], NextProtos: []string{"h2"}}
	if n.clients != nil {
		config.ClientAuth, config.ClientCAs = tls.RequireAndVerifyClientCert, n.clients.Pool()
	}
	if n.server != nil {
		return config
	}
	answer := config.Clone()
	config.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		answer := answer.Clone()
		answer.NextProtos = n.protocols
		if !slices.ContainsFunc(n.protocols, func(p string) bool { return slices.Contains(hello.SupportedProtos, p) }) && n.protocols != nil {
			answer.NextProtos = []string{"none"} // crypto/tls would accept HTTP/1.1 next to HTTP/2
		}
		return answer, nil
	}
	return config
}

// http2Only makes a server speak HTTP/2 only, with TLS and without.
func http2Only(s *http.Server) {
	s.Protocols = new(http.Protocols)
	s.Protocols.SetHTTP2(true)
	s.Protocols.SetUnencryptedHTTP2(true)
}

// TestNames: the report has the addresses of a name, and the one that was used.
func TestNames(t *testing.T) {
	bubble(t, func(s *site) {
		s.SetName("core.pixgraph.test", "127.0.0.1")
		core := strings.Replace(s.box.CoreURL(), "127.0.0.1", "core.pixgraph.test", 1)
		report := s.run("", "--core-url="+core, "--dispatcher-url=http://unknown.pixgraph.test")
		expect(s.T, report, row{"connection core", doctor.OK, []string{"DNS has 127.0.0.1", "connected to 127.0.0.1:"}},
			row{"connection dispatcher", doctor.Fail, []string{"cannot be resolved", "dispatcher_url", "DNS"}})
		for _, c := range report.Checks {
			if c.What == "connection dispatcher" && c.Detail != "unknown.pixgraph.test: the host name cannot be resolved" {
				t.Errorf("a name without an address: %s", c.Detail)
			}
		}
	})
}

// silentDNS is a network whose servers of DNS do not respond.
type silentDNS struct{ *memnet.Network }

// LookupIPAddr returns the error of package net.
func (silentDNS) LookupIPAddr(ctx context.Context, host string) ([]net.IPAddr, error) {
	<-ctx.Done()
	return nil, &net.DNSError{UnwrapErr: ctx.Err(), Err: "i/o timeout", Name: host, IsTimeout: true}
}

// TestSilentDNS: servers of DNS that do not respond are not the same as a server that does not.
func TestSilentDNS(t *testing.T) {
	bubble(t, func(s *site) {
		s.sockets = silentDNS{&s.Network}
		report := s.run("", "--core-url=http://core.pixgraph.test", "--upstream-timeout=50ms")
		expect(s.T, report, row{"connection core", doctor.Fail, []string{"core.pixgraph.test: the host name was not resolved within 50ms", "DNS servers"}})
	})
}

// TestIssuerConnection: the way to an issuer is checked in the same way, with its own settings.
func TestIssuerConnection(t *testing.T) {
	bubble(t, func(s *site) {
		ca := certstest.New(s, "the authority")
		issuer := s.Serve(s, http.NotFoundHandler(), func(server *http.Server) {
			server.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
			server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{ca.Issue(s, 100*day).TLS(s)}}
		})
		expect(s.T, s.run("", "--auth-issuer="+issuer), row{"connection " + issuer, doctor.Fail, []string{"not trusted", "auth_ca"}})
		report := s.run("", "--auth-issuer="+issuer, "--auth-ca="+certstest.Write(s, s.TempDir(), "ca.crt", ca.PEM))
		expect(s.T, report, row{"connection " + issuer, doctor.OK, []string{"TLS 1.3"}}, row{"issuer ", doctor.Fail, []string{"status 404"}})
	})
}
