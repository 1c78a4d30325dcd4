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

// remedies are what to do about causes of failed calls.
type remedies []struct {
	cause error
	hint  string
}

// of returns what to do about the cause of an error, "" if that is not known.
func (r remedies) of(err error) string {
	for _, remedy := range r {
		if errors.Is(err, remedy.cause) {
			return remedy.hint
		}
	}
	return ""
}

// connecting are those of connections: {url} is the setting of the server, {prefix} that of its settings.
var connecting = remedies{
	{netcause.ErrNoHost, "check the host name in {url} and the DNS servers of this machine; with a proxy, the name of the proxy is resolved"},
	{netcause.ErrClientCertificate, "set {prefix}_client_cert and {prefix}_client_key to a certificate that the server accepts: " +
		"its authority, its dates, its usage"},
	{netcause.ErrHTTP2Only, "set upstream_http to net"},
	{netcause.ErrNoTLS, "check the port in {url}: it is not one for TLS"},
	{netcause.ErrNoProxy, "check {prefix}_proxy: host, port, firewall"},
	{netcause.ErrNoProxyCredentials, "set {prefix}_proxy_credentials to a file with user:password in one line"},
	{netcause.ErrProxyCredentials, "check the file in {prefix}_proxy_credentials: one line with user:password"},
	{netcause.ErrTLSVersion, "the operator of the server must enable TLS 1.2 or 1.3; no setting of the gateway allows an older version"},
	{netcause.ErrTLS, "the server must ask for a client certificate in the first handshake only"},
	{netcause.ErrProxyGateway, "check the host and the port in {url}, and whether the proxy can resolve and reach them"},
	{netcause.ErrProxyRefused, "the proxy must allow CONNECT to the host and the port in {url}"},
}

// hintOf returns what to do about the cause of a failed connection, "" if that is not known.
func hintOf(cause error, prefix string) string {
	return strings.NewReplacer("{url}", urlSetting(prefix), "{prefix}", prefix).Replace(connecting.of(cause))
}
