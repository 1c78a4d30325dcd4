package doctor

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"pixgraph/internal/egress"
	"pixgraph/internal/netcause"
	"pixgraph/upstream/client"
	"pixgraph/upstream/http1"
)

// connection makes one connection to a server as a gateway does, and reports how it was made. prefix is that of the
// server's settings. It returns nil if the address is invalid, which the check of the server reports.
func (e *examination) connection(what, prefix, address string, access *egress.Access) *connected {
	server, err := url.Parse(address)
	if err != nil {
		return nil
	}
	if access.KeyIsPublic() {
		e.report.add(what, publicKey(prefix+"_client_key"))
	}
	timeout := min(client.DefaultConnectTimeout, e.Settings.Client.Timeout) // a call waits no longer
	change := asGateway
	if prefix == redisPrefix {
		change = withoutALPN
	}
	c := dial(e.ctx, server, access, timeout, change)
	c.name = strings.TrimPrefix(what, "connection ")
	if c.http = prefix != redisPrefix; c.http {
		e.connections[prefix], e.servers = c, append(e.servers, c)
	}
	detail := c.describe(access.Proxy())
	if c.err != nil {
		failure, hint := c.explain(server.Hostname(), prefix, timeout)
		if errors.Is(netcause.Of(c.err), netcause.ErrTLSVersion) {
			if old := dial(e.ctx, server, access, timeout, withOldTLS).state.Version; old != 0 {
				failure = "the server speaks " + tls.VersionName(old) + " at most"
			}
		}
		e.report.add(what, failed(detail+": "+failure, hint))
		return c
	}
	if prefix != "auth" && c.state.NegotiatedProtocol == "h2" && e.Settings.Client.HTTP != client.NetHTTP &&
		dial(e.ctx, server, access, timeout, withoutHTTP2).err != nil {
		e.report.add(what, failed(detail+": it does not speak HTTP/1.1", "set upstream_http to net"))
		return c
	}
	if name, until := c.firstExpiry(access); !until.IsZero() && time.Until(until) < minValidity {
		e.report.add(what, warned(fmt.Sprintf("%s: %s expires at %s", detail, name, until.UTC().Format(time.RFC3339)), "renew it"))
		return c
	}
	e.report.add(what, passed(detail))
	return c
}

// connected is what is known of a connection.
type connected struct {
	name, host string
	server     *url.URL
	http       bool // whether it speaks HTTP
	access     *egress.Access

	mutex sync.Mutex // hooks may run after the connection was made
	dns   []string   // addresses of the host or of the proxy; none if it is an address itself
	names bool       // whether the name is being resolved, which makes connections to DNS servers
	used  string
	state tls.ConnectionState
	asked bool // whether the server asked for a client certificate
	err   error
}

// asGateway changes nothing in a dial, withoutHTTP2 does not offer HTTP/2, and withOldTLS offers TLS 1.0 and 1.1 too.
func asGateway(*http.Transport) {}
func withoutHTTP2(t *http.Transport) {
	t.Protocols.SetHTTP2(false)
	t.TLSClientConfig.NextProtos = []string{"http/1.1"}
}
func withOldTLS(t *http.Transport) { t.TLSClientConfig.MinVersion = tls.VersionTLS10 }

// dial makes a connection, which it closes, with a transport that is changed before.
func dial(ctx context.Context, server *url.URL, access *egress.Access, timeout time.Duration, change func(*http.Transport)) *connected {
	c := &connected{host: server.Hostname(), server: server, access: access}
	transport := access.Transport()
	change(transport)
	shown := transport.TLSClientConfig.GetClientCertificate
	transport.TLSClientConfig.GetClientCertificate = func(info *tls.CertificateRequestInfo) (*tls.Certificate, error) {
		c.locked(func() { c.asked = true })
		if shown == nil {
			return &tls.Certificate{}, nil
		}
		return shown(info)
	}
	ctx, cancel := context.WithTimeout(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSStart: func(httptrace.DNSStartInfo) { c.locked(func() { c.names = true }) },
		DNSDone: func(info httptrace.DNSDoneInfo) {
			c.locked(func() {
				c.names = false
				for _, address := range info.Addrs {
					c.dns = append(c.dns, address.String())
				}
			})
		},
		ConnectDone: func(_, address string, err error) {
			c.locked(func() {
				if err == nil && !c.names {
					c.used = address
				}
			})
		},
		TLSHandshakeDone: func(state tls.ConnectionState, _ error) { c.locked(func() { c.state = state }) },
	}), timeout)
	defer cancel()
	made, err := transport.NewClientConn(ctx, server.Scheme, http1.Config{URL: server}.Address())
	if err == nil {
		_ = made.Close()
	}
	c.locked(func() { c.err = err })
	return c
}

func (c *connected) locked(do func()) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	do()
}

// describe says how the connection was made.
func (c *connected) describe(proxy string) string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	var parts []string
	if proxy != "" {
		parts = append(parts, "to "+c.host+" through the proxy "+proxy)
	}
	if len(c.dns) > 0 {
		parts = append(parts, "DNS has "+strings.Join(c.dns, " "))
	}
	if c.used != "" {
		parts = append(parts, "connected to "+c.used)
	}
	if c.state.Version != 0 {
		parts = append(parts, tls.VersionName(c.state.Version))
		if c.http {
			parts = append(parts, map[bool]string{true: "HTTP/2", false: "HTTP/1.1"}[c.state.NegotiatedProtocol == "h2"])
		}
	}
	if c.asked {
		parts = append(parts, "asks for a client certificate")
	}
	return cmp.Or(strings.Join(parts, ", "), c.host)
}

// firstExpiry returns which certificate of both sides expires first, and when; the zero time without certificates.
func (c *connected) firstExpiry(access *egress.Access) (name string, until time.Time) {
	if pair := access.ClientCertificate(); pair != nil {
		name, until = "the client certificate", pair.Until
	}
	if len(c.state.VerifiedChains) > 0 {
		first := slices.MinFunc(c.state.VerifiedChains[0], func(a, b *x509.Certificate) int { return a.NotAfter.Compare(b.NotAfter) })
		if until.IsZero() || first.NotAfter.Before(until) {
			name, until = "the certificate of "+commonNameOf(first), first.NotAfter
		}
	}
	return name, until
}

// commonNameOf returns the common name of a certificate, or else the first of its names.
func commonNameOf(c *x509.Certificate) string {
	if c.Subject.CommonName == "" && len(c.DNSNames) > 0 {
		return c.DNSNames[0]
	}
	return c.Subject.CommonName
}

// namesOf returns the names and addresses for which a certificate is valid.
func namesOf(c *x509.Certificate) []string {
	list := slices.Clone(c.DNSNames)
	for _, ip := range c.IPAddresses {
		list = append(list, ip.String())
	}
	return list
}
