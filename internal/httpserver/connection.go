package httpserver

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"time"

	"pixgraph/internal/certs"
)

// connection is a connection in the context of its requests.
type connection struct {
	net.Conn
	roots *x509.CertPool // as the CA file was when the connection was accepted; nil without one
}

// connectionKey is the key of the connection.
type connectionKey struct{}

func withConnection(files *certs.Files) func(context.Context, net.Conn) context.Context {
	return func(ctx context.Context, conn net.Conn) context.Context {
		return context.WithValue(ctx, connectionKey{}, connection{conn, files.Roots()})
	}
}

// connectionOf returns the connection of a request; an empty one without TLS.
func connectionOf(r *http.Request) connection {
	c, _ := r.Context().Value(connectionKey{}).(connection)
	return c
}

// endUnverified ends a connection after its next response if its client must be verified again.
func endUnverified(next http.Handler, files *certs.Files) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !Verified(r, files)() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// Verified returns what reports, also after the request, whether the client of its connection is verified. It must be
// verified again if the CA file has changed since the connection was accepted, or if its certificate has expired.
func Verified(r *http.Request, files *certs.Files) func() bool {
	if files.Roots() == nil {
		return func() bool { return true }
	}
	c := connectionOf(r)
	shown := c.Conn.(*tls.Conn).ConnectionState().PeerCertificates // Request.TLS is nil if a client of HTTP/2 sends another scheme
	return func() bool { return c.roots == files.Roots() && !time.Now().After(shown[0].NotAfter) }
}
