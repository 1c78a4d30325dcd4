package doctor

import (
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"pixgraph/internal/certs"
)

// minValidity is how long a certificate should still be valid. Automatic renewals happen earlier.
const minValidity = 14 * 24 * time.Hour

// listener checks the certificate that the gateway shows to its clients, if it has one, as far as its files tell.
func (e *examination) listener() {
	const what = "TLS"
	config := e.Settings.TLS
	if config.Cert.Path == "" {
		return
	}
	config.Log = slog.New(slog.DiscardHandler)
	files, err := certs.Open(config)
	if err != nil {
		e.report.add(what, Fail, err.Error(), "a gateway does not start with these files: check their paths and permissions, and that they belong together")
		return
	}
	defer files.Close()
	if files.KeyIsPublic() {
		e.publicKey(what, "tls_key")
	}
	pair := files.Certificate()
	now, names := time.Now(), namesOf(pair.TLS.Leaf)
	detail := fmt.Sprintf("the certificate for %s is valid until %s", strings.Join(names, ", "), pair.Until.UTC().Format(time.RFC3339))
	if files.Roots() != nil {
		detail += ", and clients need one too"
		if until := files.RootsUntil(); until.Sub(now) < minValidity {
			e.report.add(what, Warn, "a certificate of tls_client_ca is valid until "+until.UTC().Format(time.RFC3339),
				"after that no client with a certificate of it can connect: add the next one, or remove it if no client uses it")
		}
	}
	switch {
	case len(names) == 0:
		e.report.add(what, Fail, "the certificate has no names, only a common name, which clients ignore", "issue one with subject alternative names")
	case now.After(pair.Until):
		e.report.add(what, Fail, detail+": it has expired", "renew it; a running gateway uses the new files within seconds")
	case now.Before(pair.From):
		e.report.add(what, Fail, "the certificate is not valid before "+pair.From.UTC().Format(time.RFC3339), "check the clock of this machine")
	case pair.Until.Sub(now) < minValidity:
		e.report.add(what, Warn, detail, "renew it; a running gateway uses the new files within seconds")
	default:
		result, reason, hint := chain(pair, now)
		e.report.add(what, result, detail+reason, hint)
	}
}

// publicKey reports a key that every user can read.
func (e *examination) publicKey(what, setting string) {
	e.report.add(what, Warn, "the mode of "+setting+" lets every user read it", "only the user or the group of the gateway should read it: chmod 0440")
}

// chain checks whether a client with the CAs of this system accepts the certificate of a server.
func chain(pair *certs.Pair, now time.Time) (result Result, reason, hint string) {
	intermediates := x509.NewCertPool()
	last := pair.TLS.Leaf
	for _, der := range pair.TLS.Certificate[1:] {
		c, err := x509.ParseCertificate(der)
		if err != nil || last.CheckSignatureFrom(c) != nil {
			return Warn, ": its chain is not in order", "in tls_cert, each certificate must be followed by that of its issuer"
		}
		intermediates.AddCert(c)
		last = c
	}
	_, err := pair.TLS.Leaf.Verify(x509.VerifyOptions{Intermediates: intermediates, CurrentTime: now})
	switch invalid := (x509.CertificateInvalidError{}); {
	case err == nil:
		return OK, "", ""
	case errors.As(err, &invalid) && invalid.Reason == x509.IncompatibleUsage:
		return Fail, ": it is not for servers", "issue one for server authentication"
	case errors.As(err, new(x509.UnknownAuthorityError)):
		return Warn, ": this system does not trust its issuer " + last.Issuer.String(),
			"add the certificates between it and the CA to tls_cert; if the CA is private, make sure that clients trust it"
	default:
		return Warn, ": " + err.Error(), "clients may reject it"
	}
}
