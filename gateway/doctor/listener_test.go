package doctor_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"pixgraph/gateway/doctor"
	"pixgraph/internal/certs/certstest"
)

// TestTLS checks the certificate that a gateway shows to its clients.
func TestTLS(t *testing.T) {
	const day = 24 * time.Hour
	ca := certstest.New(t, "private")
	now := time.Now()
	with := func(pair certstest.Pair, more ...string) []string {
		cert, key := pair.Write(t, t.TempDir())
		return append(more, "--tls-cert="+cert, "--tls-key="+key)
	}
	good := ca.Issue(t, 20*day, "gateway.example", "192.0.2.1")
	unordered := certstest.Pair{Cert: append(append([]byte{}, good.Cert...), certstest.New(t, "other").PEM...), Key: good.Key}
	authorities := func(texts ...[]byte) string {
		return "--tls-client-ca=" + certstest.Write(t, t.TempDir(), "ca.crt", bytes.Join(texts, nil))
	}
	expired := ca.Issue(t, time.Minute).Cert
	public := with(good)
	if err := os.Chmod(strings.TrimPrefix(public[1], "--tls-key="), 0o644); err != nil {
		t.Fatal(err)
	}
	const issuer = "does not trust its issuer CN=private"
	for _, tt := range []testCase{
		{name: "a private CA", flags: with(good), passes: true, rows: []row{{"TLS", doctor.Warn, []string{"gateway.example, 192.0.2.1", issuer}}}},
		{name: "client certificates", flags: with(good, authorities(ca.PEM)), passes: true,
			rows: []row{{"TLS", doctor.Warn, []string{"clients need one too"}}}},
		{name: "an expired authority of clients", flags: with(good, authorities(ca.PEM, expired)), passes: true,
			rows: []row{{"TLS", doctor.Warn, []string{"a certificate of tls_client_ca is valid until", "add the next one"}}}},
		{name: "a key for every user", flags: public, passes: true,
			rows: []row{{"TLS", doctor.Warn, []string{"the mode of tls_key", "chmod 0440"}}}},
		{name: "a chain in the wrong order", flags: with(unordered), passes: true, rows: []row{{"TLS", doctor.Warn, []string{"not in order"}}}},
		{name: "expires soon", flags: with(ca.Issue(t, 13*day)), passes: true, rows: []row{{"TLS", doctor.Warn, []string{"valid until", "renew"}}}},
		{name: "expired", flags: with(ca.Issue(t, time.Minute)), rows: []row{{"TLS", doctor.Fail, []string{"it has expired", "renew"}}}},
		{name: "early", flags: with(ca.IssueFrom(t, now.Add(day), 20*day)), rows: []row{{"TLS", doctor.Fail, []string{"not valid before", "clock"}}}},
		{name: "no names", flags: with(ca.Issue(t, 20*day, "")), rows: []row{{"TLS", doctor.Fail, []string{"no names"}}}},
		{name: "the key of another", flags: with(certstest.Pair{Cert: good.Cert, Key: ca.Issue(t, day).Key}),
			rows: []row{{"TLS", doctor.Fail, []string{"tls_cert and tls_key: tls: private key does not match", "does not start"}}}},
		{name: "a missing CA", flags: with(good, "--tls-client-ca=/missing.crt"),
			rows: []row{{"TLS", doctor.Fail, []string{"tls_client_ca: no such file or directory"}}}},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.examine(t) })
	}
}
