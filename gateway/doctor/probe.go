package doctor

import (
	"context"
	"net/http"
	"time"

	"pixgraph/upstream/client"
)

// probed is the response to a GET without a token, and when it was sent and received.
type probed struct {
	header         http.Header
	sent, received time.Time
}

// probe sends a GET to the base URL of a server, with a transport that is changed before; as a page of an origin does,
// if there is one.
func (e *examination) probe(c *connected, change func(*http.Transport), origin ...string) (p probed, err error) {
	ctx, cancel := context.WithTimeout(e.ctx, min(client.DefaultConnectTimeout, e.Settings.Client.Timeout))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.server.String(), nil)
	if err != nil {
		return p, err
	}
	if len(origin) > 0 {
		req.Header["Origin"] = origin
	}
	transport := c.access.Transport()
	transport.DisableKeepAlives = true
	change(transport)
	p.sent = time.Now()
	resp, err := transport.RoundTrip(req)
	p.received = time.Now()
	if err != nil {
		return p, err
	}
	p.header = resp.Header
	return p, resp.Body.Close()
}

func withHTTP2Only(t *http.Transport) {
	t.Protocols.SetHTTP1(false)
	t.Protocols.SetUnencryptedHTTP2(true)
}

// http2Only returns what to do about a server that did not respond to a call, if it responds to HTTP/2; otherwise "".
func (e *examination) http2Only(c *connected) string {
	encrypted := c.server.Scheme == "https"
	if c.err != nil || encrypted && e.Settings.Client.HTTP == client.NetHTTP {
		return ""
	}
	if _, err := e.probe(c, withHTTP2Only); err != nil {
		return ""
	}
	if encrypted {
		return "the server speaks HTTP/2 only: set upstream_http to net"
	}
	return "the server speaks HTTP/2 only, and without TLS (h2c), for which upstream_http has no value: " +
		"its operator must enable TLS, with upstream_http set to net, or HTTP/1.1"
}
