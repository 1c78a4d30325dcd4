// Package egress connects the gateway to one server that it calls: with the certificates that it trusts and shows,
// through the proxy in between. It is for the two APIs, the issuers of tokens, and Redis.
//
// It never takes a proxy from the environment, and knows neither tokens nor URLs of the server. Read Open first.
package egress

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"pixgraph/internal/certs"
)

// Config is what the settings say about one server. All fields may be empty.
type Config struct {
	Name string // the prefix of the settings, for errors and log lines: core

	CA               string // file of authorities, in addition to the system's
	ClientCert       string // file of a certificate with its intermediates
	ClientKey        string
	Proxy            string // URL of a proxy: http, a host and a port
	ProxyCredentials string // file with user:password

	ConnectTimeout time.Duration // for a connection of Transport, and again for its TLS handshake; 0 for none
	ConnectionAge  time.Duration // after which RoundTrip uses new connections; 0 for no limit
	IdleTime       time.Duration // after which RoundTrip closes an idle connection; 0 for no limit

	Dialer   Dialer   // makes the connections, to IP addresses; nil for TCP
	Resolver Resolver // finds the addresses of names; nil for that of the system

	Log *slog.Logger // receives changes of the files; nil logs nothing
}

// Dialer makes connections. *net.Dialer implements it, and a network in memory for tests.
type Dialer interface {
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
}

// Resolver finds the addresses of a name. *net.Resolver implements it, and a network in memory for tests.
type Resolver interface {
	LookupIPAddr(ctx context.Context, host string) ([]net.IPAddr, error)
}

// Access makes connections to one server. It is safe for concurrent use, and must be closed.
//
//   - Key: the prefix of the settings.
//   - Bound: what package certs allows for the files; one TLS session, with a ticket of at most 64 KiB and certificates
//     of at most 256 KiB, which crypto/tls enforces; 2 idle connections for each host, of RoundTrip only.
//   - Filled by: the operator, with files; the server, with each ticket; fetches of keys, with connections.
//   - Emptied by: the next version of a file, the next ticket, a failed handshake; the idle time and the maximum age.
type Access struct {
	config Config
	files  *certs.Files
	dialer Dialer
	proxy  string // host and port; "" for none

	mutex sync.Mutex
	tls   *tls.Config // made of roots and pair
	roots *x509.CertPool
	pair  *certs.Pair

	issuer      *http.Transport // of RoundTrip; nil before its first use
	issuerTLS   *tls.Config     // of issuer
	issuerSince time.Time       // when issuer was made
}

// Open reads the files and watches them for changes. Its error names the setting.
func Open(c Config) (*Access, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	a := &Access{config: c, dialer: c.Dialer}
	if a.dialer == nil {
		a.dialer = tcp()
	}
	if c.Proxy != "" {
		proxy, err := ParseProxy(c.Proxy)
		if err != nil {
			return nil, fmt.Errorf("%s_proxy: %w", c.Name, err)
		}
		a.proxy = proxy.Host
	}
	if _, err := a.credentials(); err != nil {
		return nil, fmt.Errorf("%s_proxy_credentials: %w", c.Name, err)
	}
	var err error
	a.files, err = certs.Open(certs.Config{
		Cert: certs.File{Setting: c.Name + "_client_cert", Path: c.ClientCert},
		Key:  certs.File{Setting: c.Name + "_client_key", Path: c.ClientKey},
		CA:   certs.File{Setting: c.Name + "_ca", Path: c.CA}, SystemRoots: true, Log: c.Log,
	})
	if err != nil {
		return nil, err
	}
	return a, nil
}

// Direct returns an Access without files and without a proxy.
func Direct() *Access {
	return &Access{files: &certs.Files{}, dialer: tcp()}
}

func tcp() Dialer { return &net.Dialer{KeepAlive: 30 * time.Second} }

// ParseProxy parses the URL of a proxy: http with a host and a port, and nothing else. Credentials in it would be
// logged.
func ParseProxy(text string) (*url.URL, error) {
	proxy, err := url.Parse(text)
	if err != nil || proxy.Scheme != "http" || proxy.Hostname() == "" || proxy.Port() == "" || proxy.User != nil ||
		(proxy.Path != "" && proxy.Path != "/") || proxy.RawQuery != "" || proxy.ForceQuery || proxy.Fragment != "" {
		return nil, errors.New("is not the URL of a proxy: http://, a host and a port")
	}
	return proxy, nil
}

// TLS returns the configuration of handshakes, without the name of a server. It is another one when a file has changed,
// so that a session of the former certificate is not resumed.
func (a *Access) TLS() *tls.Config {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.current()
}

// current is TLS while the caller holds the mutex.
func (a *Access) current() *tls.Config {
	roots, pair := a.files.Roots(), a.files.Certificate()
	if a.tls != nil && roots == a.roots && pair == a.pair {
		return a.tls
	}
	a.roots, a.pair = roots, pair
	a.tls = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots, ClientSessionCache: tls.NewLRUClientSessionCache(1)}
	if pair != nil {
		// Also if the server names other authorities: its error says more than that of a missing certificate.
		a.tls.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair.TLS, nil }
	}
	return a.tls
}

// ClientCertificate returns the certificate that is shown to servers that ask for one, nil without one.
func (a *Access) ClientCertificate() *certs.Pair { return a.files.Certificate() }

// Expiries adds the time until which the client certificate is valid, by its setting; nothing without one.
func (a *Access) Expiries(by map[string]time.Time) { a.files.Expiries(by) }

// KeyIsPublic reports whether the mode of the client certificate's key let every user read it when it was opened.
func (a *Access) KeyIsPublic() bool { return a.files.KeyIsPublic() }

// Proxy returns the host and the port of the proxy, "" without one.
func (a *Access) Proxy() string { return a.proxy }

// Close stops watching the files and closes idle connections.
func (a *Access) Close() {
	a.files.Close()
	a.CloseIdleConnections()
}
