// Package certs loads a certificate with its key, and a CA file, and loads them again when their files change. What
// cannot be used replaces nothing: a file that is half written, a key of another certificate, a certificate that is not
// valid yet.
//
// It makes no connections; crypto/tls calls Certificate and Roots for each handshake. Read Open first.
package certs

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"log/slog"
	"strings"
	"time"

	"pixgraph/internal/filewatch"
)

// File is the path in a setting; "" means that the setting is not set. Errors and log lines have only the name of the
// setting.
type File struct{ Setting, Path string }

// Config names the files of one side of TLS connections.
type Config struct {
	Cert, Key File // in PEM, the certificate with its intermediates; both or neither
	CA        File // in PEM, any number of certificates
	// SystemRoots adds the certificates of CA to those of the system.
	SystemRoots bool
	Log         *slog.Logger
}

// Files are the certificates as they were last loaded. They are safe for concurrent use, and must be closed.
//
//   - Key: the setting.
//   - Bound: maxFile for each file.
//   - Filled by: the operator alone.
//   - Emptied by: the next valid version of the file.
type Files struct {
	setting     string // of the certificate
	caSetting   string
	pair        *loaded[Pair]
	keyIsPublic bool
	roots       *loaded[authorities]
	stop        func() // of watching; nil without files
}

// maxFile is the largest file in bytes; the CA file of a system has less than 300 KiB.
const maxFile = 1 << 20

// Open loads the files and watches them. Its error names the setting.
func Open(c Config) (*Files, error) {
	f := &Files{setting: c.Cert.Setting, caSetting: c.CA.Setting}
	if c.Cert.Path != "" || c.Key.Path != "" {
		f.pair = &loaded[Pair]{log: c.Log, parse: parsePair}
		if err := f.pair.open(c.Cert, c.Key); err != nil {
			return nil, err
		}
		if err := f.pair.get().valid(time.Now()); err != nil { // most clients reject it, but some do not check
			c.Log.Error("certificate is not valid", "setting", c.Cert.Setting, "error", err.Error())
		}
		if f.keyIsPublic = f.pair.files[1].IsPublic(); f.keyIsPublic {
			c.Log.Warn("the mode of the key lets every user read it", "setting", c.Key.Setting)
		}
	}
	if c.CA.Path != "" {
		f.roots = &loaded[authorities]{log: c.Log, parse: func(texts [][]byte, _ *authorities) (*authorities, error) {
			return parseRoots(texts[0], c.SystemRoots)
		}}
		if err := f.roots.open(c.CA); err != nil {
			return nil, err
		}
	}
	if f.pair != nil || f.roots != nil {
		f.stop = filewatch.Watch(func() {
			f.pair.poll()
			f.roots.poll()
		})
	}
	return f, nil
}

// Certificate returns the certificate with its key, nil without one.
func (f *Files) Certificate() *Pair { return f.pair.get() }

// KeyIsPublic reports whether the mode of the key let every user read it when the files were opened.
func (f *Files) KeyIsPublic() bool { return f.keyIsPublic }

// Roots returns the certificates of the CA file, nil without one.
func (f *Files) Roots() *x509.CertPool {
	if roots := f.roots.get(); roots != nil {
		return roots.pool
	}
	return nil
}

// RootsUntil returns when the first certificate of the CA file expires.
func (f *Files) RootsUntil() time.Time { return f.roots.get().until }

// Expiries adds the times until which the certificate is valid, and the first one of the CA file, by their settings.
func (f *Files) Expiries(by map[string]time.Time) {
	if pair := f.Certificate(); pair != nil {
		by[f.setting] = pair.Until
	}
	if roots := f.roots.get(); roots != nil {
		by[f.caSetting] = roots.until
	}
}

// Close stops watching the files. The certificates can still be used after it.
func (f *Files) Close() {
	if f.stop != nil {
		f.stop()
	}
}

// Pair is a certificate with its key and its intermediates.
type Pair struct {
	TLS         tls.Certificate
	From, Until time.Time // when all certificates of the chain are valid
}

// ErrEncryptedKey is the error of a key that needs a passphrase, which no setting has.
var ErrEncryptedKey = errors.New("the private key is encrypted")

// isEncrypted reports whether a key in PEM is encrypted, as PKCS #8 or in the form of RFC 1421.
func isEncrypted(text []byte) bool {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == "ENCRYPTED PRIVATE KEY" || strings.HasSuffix(block.Headers["Proc-Type"], "ENCRYPTED") {
			return true
		}
	}
	return false
}

var (
	errExpired = errors.New("the certificate has expired")
	errTooNew  = errors.New("the certificate is not valid yet")
)

// valid returns the reason why the pair cannot be used now, or nil.
func (p *Pair) valid(now time.Time) error {
	switch {
	case now.After(p.Until):
		return errExpired
	case now.Before(p.From):
		return errTooNew
	default:
		return nil
	}
}

// parsePair reads a certificate and its key. A pair that is not valid now does not replace one that is.
func parsePair(texts [][]byte, old *Pair) (*Pair, error) {
	pair, err := tls.X509KeyPair(texts[0], texts[1])
	if err != nil {
		if isEncrypted(texts[1]) {
			err = ErrEncryptedKey
		}
		return nil, err
	}
	p := &Pair{TLS: pair}
	for i, der := range pair.Certificate {
		c, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, err
		}
		if i == 0 || c.NotBefore.After(p.From) {
			p.From = c.NotBefore
		}
		if i == 0 || c.NotAfter.Before(p.Until) {
			p.Until = c.NotAfter
		}
	}
	if now := time.Now(); old != nil && old.valid(now) == nil {
		return p, p.valid(now)
	}
	return p, nil
}

// authorities are the certificates of a CA file.
type authorities struct {
	pool  *x509.CertPool
	until time.Time // when the first one expires
}

// parseRoots reads the certificates of a CA file. Unlike x509.CertPool, it accepts no file of which it cannot read all:
// a file that is half written lacks some.
func parseRoots(text []byte, system bool) (*authorities, error) {
	roots := &authorities{pool: x509.NewCertPool()}
	if system {
		var err error
		if roots.pool, err = x509.SystemCertPool(); err != nil {
			return nil, err
		}
	}
	blocks := bytes.Count(text, []byte("-----BEGIN "))
	if blocks == 0 {
		return nil, errors.New("has no certificate in PEM")
	}
	for range blocks {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			return nil, errors.New("has a certificate that is incomplete")
		}
		if block.Type != "CERTIFICATE" {
			return nil, errors.New("has something other than certificates")
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		roots.pool.AddCert(c)
		if roots.until.IsZero() || c.NotAfter.Before(roots.until) {
			roots.until = c.NotAfter
		}
	}
	return roots, nil
}
