package egress

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

// The limits of HTTP/2 connections. What the server sends before it is read is not charged to a request, so it is
// bounded here.
const (
	maxHeader     = 64 << 10  // of a response; headers of the APIs are well below 2 KiB
	streamBuffer  = 256 << 10 // bytes of a response that are received in advance
	connBuffer    = 4 << 20   // the same for all responses of a connection
	pingAfter     = 5 * time.Second
	pingTimeout   = 3 * time.Second // so that a silent connection is closed before a call times out
	idleForIssuer = 2               // idle connections of RoundTrip
)

// Transport returns a transport with the current certificates, and without timeouts. Package nethttp makes single
// connections with it.
func (a *Access) Transport() *http.Transport { return a.transport(a.TLS()) }

func (a *Access) transport(config *tls.Config) *http.Transport {
	t := &http.Transport{
		DialContext: a.Dial, TLSClientConfig: config.Clone(), Protocols: new(http.Protocols),
		DisableCompression: true, MaxResponseHeaderBytes: maxHeader,
		HTTP2: &http.HTTP2Config{
			MaxReceiveBufferPerStream: streamBuffer, MaxReceiveBufferPerConnection: connBuffer,
			MaxEncoderHeaderTableSize: 1, // no token of a caller outlives its request
			SendPingTimeout:           pingAfter, PingTimeout: pingTimeout,
		},
	}
	t.Protocols.SetHTTP1(true)
	t.Protocols.SetHTTP2(true)
	return t
}

// dialInTime is Dial with the connect timeout.
func (a *Access) dialInTime(ctx context.Context, network, address string) (net.Conn, error) {
	if a.config.ConnectTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, a.config.ConnectTimeout)
		defer cancel()
	}
	return a.Dial(ctx, network, address)
}

// RoundTrip implements http.RoundTripper, for the issuers of tokens. Its connections are replaced when a file has
// changed, and when they reach the maximum age.
func (a *Access) RoundTrip(r *http.Request) (*http.Response, error) {
	return a.issuerTransport().RoundTrip(r)
}

func (a *Access) issuerTransport() *http.Transport {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	config, now := a.current(), time.Now()
	old := a.config.ConnectionAge > 0 && now.Sub(a.issuerSince) >= a.config.ConnectionAge
	if a.issuer == nil || config != a.issuerTLS || old {
		if a.issuer != nil {
			a.issuer.CloseIdleConnections() // and those that become idle later
		}
		a.issuer, a.issuerTLS, a.issuerSince = a.transport(config), config, now
		a.issuer.DialContext, a.issuer.TLSHandshakeTimeout = a.dialInTime, a.config.ConnectTimeout
		a.issuer.MaxIdleConnsPerHost, a.issuer.IdleConnTimeout = idleForIssuer, a.config.IdleTime
	}
	return a.issuer
}

// CloseIdleConnections closes the idle connections of RoundTrip.
func (a *Access) CloseIdleConnections() {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.issuer != nil {
		a.issuer.CloseIdleConnections()
	}
}
