package http1_test

import (
	"context"
	"net/http"
	"testing"

	"pixgraph/upstream/http1"
	"pixgraph/upstream/nethttp"
)

// host is a client of a server: http1.Host, or nethttp.Host over HTTP/1.1.
type host interface {
	Get(context.Context, http1.Request) (http1.Answer, error)
	CloseIdle()
	Idle() int
}

// newHost makes a client of a server.
type newHost func(t testing.TB, s *server, changes ...func(*http1.Config)) host

// ofBoth runs a test of what both clients do.
func ofBoth(t *testing.T, test func(*testing.T, newHost)) {
	t.Helper()
	t.Run("http1", func(t *testing.T) {
		test(t, func(t testing.TB, s *server, changes ...func(*http1.Config)) host { return newOwn(t, s, changes...) })
	})
	t.Run("net", func(t *testing.T) { test(t, newNet) })
}

func configured(s *server, changes []func(*http1.Config)) http1.Config {
	config := http1.Config{URL: s.url, MaxIdle: 10}
	for _, change := range changes {
		change(&config)
	}
	return config
}

// newOwn makes a client of this package.
func newOwn(t testing.TB, s *server, changes ...func(*http1.Config)) *http1.Host {
	t.Helper()
	host, err := http1.New(configured(s, changes))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(host.CloseIdle)
	return host
}

// newNet makes a client of package nethttp.
func newNet(t testing.TB, s *server, changes ...func(*http1.Config)) host {
	t.Helper()
	config := configured(s, changes)
	transport := &http.Transport{DisableCompression: true, MaxResponseHeaderBytes: 64 << 10, Protocols: new(http.Protocols)}
	transport.Protocols.SetHTTP1(true)
	if config.TLS != nil {
		transport.TLSClientConfig = config.TLS()
	}
	host := nethttp.New(config, func() *http.Transport { return transport })
	t.Cleanup(host.CloseIdle)
	return host
}
