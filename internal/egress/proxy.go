package egress

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"pixgraph/internal/filewatch"
	"pixgraph/internal/netcause"
)

const (
	// maxCredentials is more than proxies accept.
	maxCredentials = 4 << 10
	// maxProxyHeader bounds the response of a proxy.
	maxProxyHeader = 16 << 10
)

// Dial makes a TCP connection to the server, through the proxy if there is one. It asks the proxy for a tunnel
// (CONNECT), also to a server without TLS: the proxy forwards bytes, and gets no request of a caller to read or to
// change.
func (a *Access) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if a.proxy == "" {
		return a.connect(ctx, network, address)
	}
	conn, err := a.connect(ctx, network, a.proxy)
	if err != nil {
		return nil, &net.OpError{Op: netcause.ProxyDial, Net: network, Err: err}
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	err = a.tunnel(conn, address)
	if !stop() { // the deadline may still be set
		err = errors.Join(ctx.Err(), err)
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}

// tunnel asks the proxy for a tunnel to the address.
func (a *Access) tunnel(conn net.Conn, address string) error {
	credentials, err := a.credentials()
	if err != nil {
		return netcause.ErrProxyCredentials
	}
	request := http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: address}, Host: address, Header: http.Header{
		"User-Agent": {"pixgraph"},
	}}
	if credentials != "" {
		request.Header.Set("Proxy-Authorization", "Basic "+credentials)
	}
	if err := request.Write(conn); err != nil {
		return err
	}
	reader := bufio.NewReader(io.LimitReader(conn, maxProxyHeader))
	response, err := http.ReadResponse(reader, &request) //nolint:bodyclose // the body of a rejection is not read
	switch {
	case err != nil:
		return err
	case response.StatusCode == http.StatusProxyAuthRequired && credentials == "":
		return netcause.ErrNoProxyCredentials
	case response.StatusCode == http.StatusProxyAuthRequired:
		return netcause.ErrProxyCredentials
	case response.StatusCode >= http.StatusInternalServerError:
		return netcause.ErrProxyGateway
	case response.StatusCode != http.StatusOK:
		return netcause.ErrProxyRefused
	case reader.Buffered() > 0: // the server speaks after the client only, so these bytes are not its own
		return netcause.ErrProxyRefused
	default:
		return nil
	}
}

// credentials returns the content of Proxy-Authorization after the scheme, "" without credentials. They are read for
// each connection, so that a change needs no restart.
func (a *Access) credentials() (string, error) {
	if a.config.ProxyCredentials == "" {
		return "", nil
	}
	text, err := (&filewatch.File{Path: a.config.ProxyCredentials, Max: maxCredentials, Secret: true}).Read()
	if err != nil {
		return "", err
	}
	text = bytes.TrimRight(text, "\r\n")
	if user, _, ok := bytes.Cut(text, []byte(":")); !ok || len(user) == 0 || bytes.ContainsAny(text, "\r\n\x00") {
		return "", errors.New("has no line of the form user:password")
	}
	return base64.StdEncoding.EncodeToString(text), nil
}
