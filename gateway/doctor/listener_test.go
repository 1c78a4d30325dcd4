package doctor_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/gateway/doctor"
	"pixgraph/internal/certs/certstest"
	"pixgraph/internal/memnet"
)

// TestTLS checks the certificate that a gateway shows to its clients.
func TestTLS(t *testing.T) {
	var tests []testCase
	synctest.Test(t, func(bubble *testing.T) { tests = casesOfTLS(bubble, t) }) // whose certificates are valid in other bubbles
	for _, tt := range tests {
		t.Run(tt.name, tt.examine)
	}
}

// casesOfTLS writes certificates into directories of a test.
func casesOfTLS(t, directories *testing.T) []testCase {
	const day = 24 * time.Hour
	ca := certstest.New(t, "private")
	with := func(pair certstest.Pair, more ...string) []string {
		cert, key := pair.Write(t, directories.TempDir())
		return append(more, "--tls-cert="+cert, "--tls-key="+key)
	}
	good := ca.Issue(t, 20*day, "gateway.example", "192.0.2.1")
	private := certstest.Write(t, directories.TempDir(), "private.crt", ca.PEM)
	listener, err := new(memnet.Network).Listen()
	if err != nil {
		t.Fatal(err)
	}
	self := httptest.Server{Listener: listener, Config: &http.Server{}}
	self.StartTLS()
	self.Close()
	own := pairOf(t, self.TLS.Certificates[0])
	unordered := certstest.Pair{Cert: append(append([]byte{}, good.Cert...), certstest.New(t, "other").PEM...), Key: good.Key}
	authorities := func(texts ...[]byte) string {
		return "--tls-client-ca=" + certstest.Write(t, directories.TempDir(), "ca.crt", bytes.Join(texts, nil))
	}
	expired := ca.Issue(t, time.Minute).Cert
	public := with(good)
	if err := os.Chmod(strings.TrimPrefix(public[1], "--tls-key="), 0o644); err != nil {
		t.Fatal(err)
	}
	const issuer = "neither this system nor --private-ca has its issuer CN=private"
	return []testCase{
		{name: "an unknown CA", flags: with(good), rows: []row{{"TLS", doctor.Fail, []string{"gateway.example, 192.0.2.1", issuer, "--private-ca"}}}},
		{name: "an unknown CA, expires soon", flags: with(ca.Issue(t, 13*day)), rows: []row{{"TLS", doctor.Fail, []string{issuer}}}},
		{name: "a private CA", flags: with(good), privateCA: private, passes: true, rows: []row{{"TLS", doctor.OK, []string{"gateway.example, 192.0.2.1"}}}},
		{name: "another private CA", flags: with(certstest.New(t, "x").Issue(t, 20*day)), privateCA: private, rows: []row{{"TLS", doctor.Fail, []string{"CN=x"}}}},
		{name: "a missing private CA", flags: with(good), privateCA: "/missing.crt",
			rows: []row{{"TLS", doctor.Fail, []string{"private-ca: no such file or directory", "path"}}}},
		{name: "self-signed", flags: with(own), rows: []row{{"TLS", doctor.Fail, []string{"self-signed", "--private-ca"}}}},
		{name: "self-signed, trusted", flags: with(own), privateCA: certstest.Write(t, directories.TempDir(), "own.crt", own.Cert), passes: true,
			rows: []row{{"TLS", doctor.OK, []string{"example.com"}}}},
		{name: "the name in listen", flags: with(good, "--listen=gateway.example:8443"), privateCA: private, passes: true, rows: []row{{"TLS", doctor.OK, nil}}},
		{name: "not the name in listen", flags: with(good, "--listen=other.example:8443"), privateCA: private,
			rows: []row{{"TLS", doctor.Fail, []string{"not for other.example, the host of listen"}}}},
		{name: "a wildcard", flags: with(ca.Issue(t, 20*day, "*.example")), privateCA: private, passes: true, rows: []row{{"TLS", doctor.OK, []string{"*.example"}}}},
		{name: "a URL for a name", flags: with(ca.Issue(t, 20*day, "https://gateway.example")), privateCA: private,
			rows: []row{{"TLS", doctor.Fail, []string{"https://gateway.example is not the name of a host"}}}},
		{name: "an encrypted key", flags: with(encrypted(good, "ENCRYPTED PRIVATE KEY", nil)),
			rows: []row{{"TLS", doctor.Fail, []string{"tls_cert and tls_key: the private key is encrypted", "openssl pkey"}}}},
		{name: "an encrypted key of OpenSSL 0.9", flags: with(encrypted(good, "EC PRIVATE KEY", map[string]string{"Proc-Type": "4,ENCRYPTED"})),
			rows: []row{{"TLS", doctor.Fail, []string{"the private key is encrypted"}}}},
		{name: "client certificates", flags: with(good, authorities(ca.PEM)), privateCA: private, passes: true,
			rows: []row{{"TLS", doctor.OK, []string{"clients need one too"}}}},
		{name: "an expired authority of clients", flags: with(good, authorities(ca.PEM, expired)), privateCA: private, passes: true,
			rows: []row{{"TLS", doctor.Warn, []string{"a certificate of tls_client_ca is valid until", "add the next one"}}}},
		{name: "a key for every user", flags: public, privateCA: private, passes: true,
			rows: []row{{"TLS", doctor.Warn, []string{"the mode of tls_key", "chmod 0440"}}}},
		{name: "a chain in the wrong order", flags: with(unordered), privateCA: private, passes: true, rows: []row{{"TLS", doctor.Warn, []string{"not in order"}}}},
		{name: "expires soon", flags: with(ca.Issue(t, 13*day)), privateCA: private, passes: true,
			rows: []row{{"TLS", doctor.Warn, []string{"valid until", "renew"}}}},
		{name: "expired", flags: with(ca.Issue(t, time.Minute)), rows: []row{{"TLS", doctor.Fail, []string{"it has expired", "renew"}}}},
		{name: "early", flags: with(ca.IssueFrom(t, time.Now().Add(day), 20*day)), rows: []row{{"TLS", doctor.Fail, []string{"not valid before", "clock"}}}},
		{name: "no names", flags: with(ca.Issue(t, 20*day, "")), rows: []row{{"TLS", doctor.Fail, []string{"no names"}}}},
		{name: "the key of another", flags: with(certstest.Pair{Cert: good.Cert, Key: ca.Issue(t, day).Key}),
			rows: []row{{"TLS", doctor.Fail, []string{"tls_cert and tls_key: tls: private key does not match", "does not start"}}}},
		{name: "a missing CA", flags: with(good, "--tls-client-ca=/missing.crt"),
			rows: []row{{"TLS", doctor.Fail, []string{"tls_client_ca: no such file or directory"}}}},
	}
}

// pairOf returns a certificate of crypto/tls in PEM.
func pairOf(t *testing.T, c tls.Certificate) certstest.Pair {
	t.Helper()
	key, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	return certstest.Pair{
		Cert: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate[0]}),
		Key:  pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}),
	}
}

// encrypted returns a pair whose key has the form of an encrypted one.
func encrypted(p certstest.Pair, kind string, headers map[string]string) certstest.Pair {
	block, _ := pem.Decode(p.Key)
	for i := range block.Bytes {
		block.Bytes[i] ^= 0x5a
	}
	return certstest.Pair{Cert: p.Cert, Key: pem.EncodeToMemory(&pem.Block{Type: kind, Headers: headers, Bytes: block.Bytes})}
}
