package doctor

import (
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"time"

	"pixgraph/internal/certs"
)

// minValidity is how long a certificate should still be valid. Automatic renewals happen earlier.
const minValidity = 14 * 24 * time.Hour

// listener checks the certificate that the gateway shows to its clients, if it has one, as far as its files tell.
func (e *examination) listener() Check {
	config := e.Settings.TLS
	if config.Cert.Path == "" {
		return Check{}
	}
	config.Log = slog.New(slog.DiscardHandler)
	files, err := certs.Open(config)
	if err != nil {
		hint := "a gateway does not start with these files: check their paths and permissions, and that they belong together"
		if errors.Is(err, certs.ErrEncryptedKey) {
			hint = "a gateway does not start with it: decrypt it with openssl pkey, and protect the file by its mode"
		}
		return failed(err.Error(), hint)
	}
	defer files.Close()
	trusted, err := certs.Open(certs.Config{CA: certs.File{Setting: "private-ca", Path: e.PrivateCA}, SystemRoots: true})
	if err != nil {
		return failed(err.Error(), "check its path and permissions")
	}
	defer trusted.Close()
	if files.KeyIsPublic() {
		e.report.add("TLS", publicKey("tls_key"))
	}
	pair := files.Certificate()
	now, names := time.Now(), namesOf(pair.TLS.Leaf)
	detail := fmt.Sprintf("the certificate for %s is valid until %s", strings.Join(names, ", "), pair.Until.UTC().Format(time.RFC3339))
	if files.Roots() != nil {
		detail += ", and clients need one too"
		if until := files.RootsUntil(); until.Sub(now) < minValidity {
			e.report.add("TLS", warned("a certificate of tls_client_ca is valid until "+until.UTC().Format(time.RFC3339),
				"after that no client with a certificate of it can connect: add the next one, or remove it if no client uses it"))
		}
	}
	const renew = "renew it; a running gateway uses the new files within seconds"
	host, _, _ := net.SplitHostPort(e.Settings.Listen) // "" for a unix socket
	named := host != "" && host != "localhost" && net.ParseIP(host) == nil
	switch {
	case len(names) == 0:
		return failed("the certificate has no names, only a common name, which clients ignore", "issue one with subject alternative names")
	case unusable(pair.TLS.Leaf) != "":
		return failed(detail+": "+unusable(pair.TLS.Leaf)+" is not the name of a host", "issue one whose names have neither scheme nor port")
	case named && pair.TLS.Leaf.VerifyHostname(host) != nil:
		return failed(detail+": it is not for "+host+", the host of listen", "issue one that has this name, or set listen to an IP address")
	case now.After(pair.Until):
		return failed(detail+": it has expired", renew)
	case now.Before(pair.From):
		return failed("the certificate is not valid before "+pair.From.UTC().Format(time.RFC3339), "check the clock of this machine")
	default:
		result, reason, hint := chain(pair, trusted.Roots(), now)
		if result == OK && pair.Until.Sub(now) < minValidity {
			result, hint = Warn, renew
		}
		return Check{Result: result, Detail: detail + reason, Hint: hint}
	}
}

// unusable returns the first name of a certificate that no client accepts, or "".
func unusable(leaf *x509.Certificate) string {
	for _, name := range leaf.DNSNames {
		if strings.ContainsAny(strings.TrimPrefix(name, "*."), ":/*") {
			return name
		}
	}
	return ""
}

// publicKey reports a key that every user can read.
func publicKey(setting string) Check {
	return warned("the mode of "+setting+" lets every user read it", "only the user or the group of the gateway should read it: chmod 0440")
}

// chain checks whether a client accepts the certificate of a server. It trusts the roots, or the CAs of this system.
func chain(pair *certs.Pair, roots *x509.CertPool, now time.Time) (result Result, reason, hint string) {
	intermediates := x509.NewCertPool()
	last, inOrder := pair.TLS.Leaf, true
	for _, der := range pair.TLS.Certificate[1:] {
		c, err := x509.ParseCertificate(der)
		if err != nil {
			return Fail, ": its chain cannot be read", "replace tls_cert"
		}
		inOrder = inOrder && last.CheckSignatureFrom(c) == nil
		intermediates.AddCert(c)
		last = c
	}
	_, err := pair.TLS.Leaf.Verify(x509.VerifyOptions{Roots: roots, Intermediates: intermediates, CurrentTime: now})
	switch invalid := (x509.CertificateInvalidError{}); {
	case err == nil && !inOrder:
		return Warn, ": its chain is not in order", "in tls_cert, each certificate must be followed by that of its issuer"
	case err == nil:
		return OK, "", ""
	case errors.As(err, &invalid) && invalid.Reason == x509.IncompatibleUsage:
		return Fail, ": it is not for servers", "issue one for server authentication"
	case errors.As(err, new(x509.UnknownAuthorityError)) && pair.TLS.Leaf.CheckSignature(
		pair.TLS.Leaf.SignatureAlgorithm, pair.TLS.Leaf.RawTBSCertificate, pair.TLS.Leaf.Signature) == nil:
		return Fail, ": it is self-signed, so clients do not trust it", "get one of a CA that clients trust, or pass its file by --private-ca if they trust it"
	case errors.As(err, new(x509.UnknownAuthorityError)):
		return Fail, ": neither this system nor --private-ca has its issuer " + last.Issuer.String(),
			"add the certificates between it and the CA to tls_cert; if clients trust a private CA, pass its file by --private-ca"
	default:
		return Fail, ": " + err.Error(), "clients reject it: issue another one"
	}
}
