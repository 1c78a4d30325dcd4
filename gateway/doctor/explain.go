package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"pixgraph/internal/netcause"
)

// explain returns why no connection was made, and what to do about it.
func (c *connected) explain(host, prefix string, timeout time.Duration) (failure, hint string) {
	var (
		rejected *tls.CertificateVerificationError
		name     x509.HostnameError
		unknown  x509.UnknownAuthorityError
		invalid  x509.CertificateInvalidError
	)
	switch {
	case errors.As(c.err, new(*net.DNSError)) && errors.Is(c.err, context.DeadlineExceeded):
		return "the host name was not resolved within " + timeout.String(), hintOf(netcause.ErrNoHost, prefix)
	case !errors.As(c.err, &rejected):
		cause := netcause.Of(c.err)
		lost := c.state.Version != 0 && !errors.Is(cause, context.DeadlineExceeded) // the alert that follows a handshake of TLS 1.3
		if c.asked && (lost || errors.Is(cause, netcause.ErrTLSAlert)) {            // what TLS 1.2 says without a certificate
			cause = netcause.ErrClientCertificate
		}
		if prefix == redisPrefix && c.used != "" && errors.Is(cause, context.DeadlineExceeded) {
			return "the TLS handshake was not complete within " + timeout.String(), hintOf(netcause.ErrNoTLS, prefix)
		}
		if errors.Is(cause, context.DeadlineExceeded) {
			return "it was not made within " + timeout.String(), "check " + urlSetting(prefix) + " and the firewalls in between"
		}
		return cause.Error(), hintOf(cause, prefix)
	case errors.As(c.err, &name) && len(namesOf(name.Certificate)) == 0:
		return "the certificate has no names, only a common name, which is not read", "get a certificate that has " + host + " as a subject alternative name"
	case errors.As(c.err, &name):
		return "the certificate is not for " + host + ", but for " + strings.Join(namesOf(name.Certificate), ", "),
			"use one of these names in " + urlSetting(prefix) + ", or get a certificate for " + host
	case errors.As(c.err, &unknown):
		chain := rejected.UnverifiedCertificates
		return "the certificate is signed by an authority that is not trusted: " + chain[len(chain)-1].Issuer.CommonName,
			"set " + prefix + "_ca to a file with this authority; the server must also send its intermediate certificates"
	case errors.As(c.err, &invalid) && invalid.Reason == x509.Expired:
		return fmt.Sprintf("the certificate of %s is valid from %s to %s", commonNameOf(invalid.Cert),
			invalid.Cert.NotBefore.UTC().Format(time.RFC3339), invalid.Cert.NotAfter.UTC().Format(time.RFC3339)), "renew it, or check the clock of this machine"
	default:
		return rejected.Err.Error(), "the operator of the server must replace the certificate"
	}
}

func urlSetting(prefix string) string {
	if prefix == "auth" {
		return "auth_issuer"
	}
	return prefix + "_url"
}

// hintOf returns what to do about the cause of a failed connection, "" if that is not known.
func hintOf(cause error, prefix string) string {
	switch {
	case errors.Is(cause, netcause.ErrNoHost):
		return "check the host name in " + urlSetting(prefix) + " and the DNS servers of this machine; with a proxy, the name of the proxy is resolved"
	case errors.Is(cause, netcause.ErrClientCertificate):
		return "set " + prefix + "_client_cert and " + prefix + "_client_key to a certificate that the server accepts: its authority, its dates, its usage"
	case errors.Is(cause, netcause.ErrHTTP2Only):
		return "set upstream_http to net"
	case errors.Is(cause, netcause.ErrNoTLS):
		return "check the port in " + urlSetting(prefix) + ": it is not one for TLS"
	case errors.Is(cause, netcause.ErrNoProxy):
		return "check " + prefix + "_proxy: host, port, firewall"
	case errors.Is(cause, netcause.ErrNoProxyCredentials):
		return "set " + prefix + "_proxy_credentials to a file with user:password in one line"
	case errors.Is(cause, netcause.ErrProxyCredentials):
		return "check the file in " + prefix + "_proxy_credentials: one line with user:password"
	case errors.Is(cause, netcause.ErrTLSVersion):
		return "the operator of the server must enable TLS 1.2 or 1.3; no setting of the gateway allows an older version"
	case errors.Is(cause, netcause.ErrTLS):
		return "the server must ask for a client certificate in the first handshake only"
	case errors.Is(cause, netcause.ErrProxyGateway):
		return "check the host and the port in " + urlSetting(prefix) + ", and whether the proxy can resolve and reach them"
	case errors.Is(cause, netcause.ErrProxyRefused):
		return "the proxy must allow CONNECT to the host and the port in " + urlSetting(prefix)
	default:
		return ""
	}
}
