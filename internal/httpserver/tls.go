package httpserver

import (
	"crypto/tls"
	"net"
	"net/http"
	"slices"

	"pixgraph/internal/certs"
)

// Serve serves a listener until the server is shut down: with TLS if there is a certificate, and then with HTTP/2 for
// clients that offer it. If there is a CA file, a client without a certificate of it gets a TLS alert. A new
// certificate or CA file applies to the next handshake, and to the resumption of a session. Connections that are open
// stay open, after a new CA file until their next response, or the next operation of a WebSocket (Verified).
func Serve(server *http.Server, listener net.Listener, files *certs.Files) error {
	if files.Certificate() == nil {
		return server.Serve(listener)
	}
	config := &tls.Config{
		NextProtos:     []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &files.Certificate().TLS, nil },
		GetConfigForClient: func(hello *tls.ClientHelloInfo) (unchanged *tls.Config, err error) {
			if paced, ok := hello.Conn.(*pacedConn); ok && !slices.Contains(hello.SupportedProtos, "h2") {
				paced.unpaced()
			}
			return unchanged, nil
		},
	}
	server.TLSConfig, server.HTTP2, server.ConnContext = config, http2Limits(), withConnection(files)
	server.WriteTimeout = ownWriteTimeout
	if files.Roots() != nil {
		server.Handler = endUnverified(server.Handler, files)
		server.TLSConfig = config.Clone()
		server.TLSConfig.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
			_, _ = config.GetConfigForClient(hello)
			current := config.Clone()
			current.ClientAuth, current.ClientCAs = tls.RequireAndVerifyClientCert, files.Roots()
			return current, nil
		}
	}
	return server.ServeTLS(pacedListener{listener}, "", "")
}
