package gateway_test

import (
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/internal/certs/certstest"
	"pixgraph/test/replica"
)

// front is a server in front of the core API of a sandbox, which has the network that a test needs.
type front struct {
	address, base string // base is the URL of the core API
	served        atomic.Int64
	connections   atomic.Int64
	protocols     sync.Map     // of the requests
	shown         sync.Map     // the authorities of client certificates
	pair          atomic.Value // tls.Certificate
	ahead         atomic.Int64 // how much its clock differs
}

// newFront starts a server on an address. ca signs its certificate and those of its clients; nil for plain text.
func newFront(t *testing.T, box *replica.Sandbox, address string, ca *certstest.CA, clients ...*certstest.CA) *front {
	t.Helper()
	target, err := url.Parse(box.CoreURL())
	if err != nil {
		t.Fatal(err)
	}
	f := &front{}
	log := slog.NewLogLogger(slog.DiscardHandler, 0)
	transport := &http.Transport{DialContext: box.Network.DialContext}
	t.Cleanup(transport.CloseIdleConnections)
	backend := &httputil.ReverseProxy{
		Rewrite:  func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: target.Host}) },
		ErrorLog: log, Transport: transport,
	}
	server := &httptest.Server{Config: &http.Server{ErrorLog: log, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.served.Add(1)
		f.protocols.Store(r.Proto, true)
		if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
			f.shown.Store(r.TLS.PeerCertificates[0].Issuer.CommonName, true)
		}
		backend.ServeHTTP(w, r)
	})}}
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			f.connections.Add(1)
		}
	}
	if server.Listener, err = box.Network.ListenOn(address); err != nil {
		t.Fatal(err)
	}
	f.address = server.Listener.Addr().String()
	if ca == nil {
		server.Start()
	} else {
		f.use(t, ca)
		server.TLS = f.tls(clients)
		server.StartTLS()
	}
	t.Cleanup(server.Close)
	f.base = server.URL + target.Path
	return f
}

// tls returns the configuration of a server that demands a certificate of its clients if it has authorities for them.
func (f *front) tls(clients []*certstest.CA) *tls.Config {
	config := &tls.Config{NextProtos: []string{"h2", "http/1.1"}}
	config.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
		latest := config.Clone()
		latest.Certificates, latest.GetConfigForClient = []tls.Certificate{f.pair.Load().(tls.Certificate)}, nil
		latest.Time = func() time.Time { return time.Now().Add(time.Duration(f.ahead.Load())) }
		return latest, nil
	}
	for i, ca := range clients {
		if i == 0 {
			config.ClientAuth, config.ClientCAs = tls.RequireAndVerifyClientCert, ca.Pool()
		}
		config.ClientCAs.AddCert(ca.Cert)
	}
	return config
}

// use makes the server use a certificate of the authority.
func (f *front) use(t *testing.T, ca *certstest.CA) {
	f.pair.Store(ca.Issue(t, 24*time.Hour, "localhost", "127.0.0.1", "core.example.com").TLS(t))
}

func has(seen *sync.Map, key string) bool {
	_, ok := seen.Load(key)
	return ok
}
