// Package certstest makes certificates for tests.
//
// Only tests import it. Read first: CA.Issue.
package certstest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// CA signs certificates.
type CA struct {
	PEM  []byte
	Cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// Pair is a certificate and its key in PEM.
type Pair struct{ Cert, Key []byte }

// New makes a CA with a key of its own.
func New(t testing.TB, name string) *CA {
	t.Helper()
	key := newKey(t)
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(365 * 24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	ca := &CA{key: key}
	ca.Cert = ca.sign(t, template, template, key)
	ca.PEM = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ca.Cert.Raw})
	return ca
}

// Pool returns the CA as roots.
func (ca *CA) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(ca.Cert)
	return pool
}

// Issue makes a certificate for a server or a client, valid for the given time from an hour ago. Its names are those of
// this machine if none are given.
func (ca *CA) Issue(t testing.TB, valid time.Duration, names ...string) Pair {
	t.Helper()
	return ca.IssueFrom(t, time.Now().Add(-time.Hour), valid, names...)
}

// IssueFrom makes a certificate that is valid from a time.
func (ca *CA) IssueFrom(t testing.TB, from time.Time, valid time.Duration, names ...string) Pair {
	t.Helper()
	if len(names) == 0 {
		names = []string{"localhost", "127.0.0.1", "::1"}
	}
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: names[0]}, NotBefore: from, NotAfter: from.Add(valid), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	for _, name := range names {
		if name == "" {
			continue
		}
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	key := newKey(t)
	cert := ca.sign(t, template, ca.Cert, key)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return Pair{
		Cert: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Raw}),
		Key:  pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}),
	}
}

// sign fills in a random serial number and signs.
func (ca *CA) sign(t testing.TB, template, parent *x509.Certificate, key *ecdsa.PrivateKey) *x509.Certificate {
	t.Helper()
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		t.Fatal(err)
	}
	template.SerialNumber = serial
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, ca.key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// TLS returns the pair as crypto/tls uses it.
func (p Pair) TLS(t testing.TB) tls.Certificate {
	t.Helper()
	pair, err := tls.X509KeyPair(p.Cert, p.Key)
	if err != nil {
		t.Fatal(err)
	}
	return pair
}

// Write writes the pair to files, each replaced by rename, and returns their paths.
func (p Pair) Write(t testing.TB, dir string) (cert, key string) {
	t.Helper()
	return Write(t, dir, "tls.crt", p.Cert), Write(t, dir, "tls.key", p.Key)
}

// Write replaces a file by rename and returns its path.
func Write(t testing.TB, dir, name string, text []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	return path
}
