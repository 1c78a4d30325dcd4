package certs_test

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/internal/certs"
	"pixgraph/internal/certs/certstest"
	"pixgraph/internal/filewatch"
	"pixgraph/test/gatewaytest"
)

const day = 24 * time.Hour

// mounted is a directory with the files of a Config, as they are mounted into a container.
type mounted struct {
	*testing.T
	ca     *certstest.CA
	dir    string
	config certs.Config
	logs   gatewaytest.Log
	files  *certs.Files // after open
}

// mount runs a test with a clock of its own.
func mount(t *testing.T, name string, test func(*mounted)) {
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := &mounted{T: t, dir: t.TempDir(), ca: certstest.New(t, "ca")}
			m.config = certs.Config{
				Cert: certs.File{Setting: "tls_cert", Path: filepath.Join(m.dir, "tls.crt")},
				Key:  certs.File{Setting: "tls_key", Path: filepath.Join(m.dir, "tls.key")},
				CA:   certs.File{Setting: "tls_client_ca", Path: filepath.Join(m.dir, "ca.crt")},
				Log:  slog.New(slog.NewTextHandler(&m.logs, nil)),
			}
			m.put("ca.crt", m.ca.PEM)
			test(m)
		})
	})
}

func (m *mounted) put(name string, text []byte) { certstest.Write(m, m.dir, name, text) }

func (m *mounted) open() {
	m.Helper()
	files, err := certs.Open(m.config)
	if err != nil {
		m.Fatal(err)
	}
	m.Cleanup(files.Close)
	m.files = files
}

// openPair opens a pair, and returns it and another one.
func (m *mounted) openPair() (first, second certstest.Pair) {
	m.Helper()
	first, second = m.ca.Issue(m, day), m.ca.Issue(m, day)
	first.Write(m, m.dir)
	m.open()
	m.uses(first, "")
	return first, second
}

// wait waits for a time, and until the check of the files at its end is over.
func (m *mounted) wait(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// tick waits until the files were checked for changes twice, and returns what was logged.
func (m *mounted) tick() string {
	before := len(m.logs.String())
	m.wait(2 * filewatch.Every)
	return m.logs.String()[before:]
}

// uses fails unless a pair is used after the next checks. log is in the only line that is logged, unless it is "".
func (m *mounted) uses(pair certstest.Pair, log string) {
	m.Helper()
	logged := m.tick()
	if got := m.files.Certificate().TLS.Leaf; !got.Equal(pair.TLS(m.T).Leaf) {
		m.Errorf("another certificate is used, which is valid until %s", got.NotAfter)
	}
	if strings.Count(logged, "\n") != min(len(log), 1) || !strings.Contains(logged, log) {
		m.Errorf("logged %q, want %q", logged, log)
	}
}

func TestReload(t *testing.T) {
	const (
		mismatch = "tls_cert and tls_key: tls: private key does not match public key"
		noCert   = "failed to find any PEM data in certificate input"
		reloaded = "certificates reloaded"
	)
	mount(t, "a new pair", func(m *mounted) {
		_, second := m.openPair()
		second.Write(m, m.dir)
		m.uses(second, reloaded)
		m.uses(second, "")
	})
	mount(t, "the certificate before its key", func(m *mounted) {
		first, second := m.openPair()
		m.put("tls.crt", second.Cert)
		m.uses(first, mismatch)
		m.uses(first, "") // the same failure is logged once
		m.put("tls.key", second.Key)
		m.uses(second, reloaded)
	})
	mount(t, "the key before its certificate", func(m *mounted) {
		first, second := m.openPair()
		m.put("tls.key", second.Key)
		m.uses(first, mismatch)
		m.put("tls.crt", second.Cert)
		m.uses(second, reloaded)
	})
	mount(t, "files that are half written, empty, too large, gone", func(m *mounted) {
		first, second := m.openPair()
		m.put("tls.crt", second.Cert[:len(second.Cert)/2])
		m.uses(first, noCert)
		m.put("tls.key", nil)
		m.put("tls.crt", second.Cert)
		m.uses(first, "failed to find any PEM data in key input")
		m.put("tls.crt", make([]byte, 2<<20))
		m.uses(first, "tls_cert: is larger than")
		if err := os.Remove(m.config.Key.Path); err != nil {
			m.Fatal(err)
		}
		m.put("tls.crt", second.Cert)
		m.uses(first, "tls_key: no such file or directory: "+m.config.Key.Path)
		m.put("tls.key", second.Key)
		m.uses(second, reloaded)
	})
	mount(t, "an expired pair", func(m *mounted) {
		first, second := m.openPair()
		m.ca.Issue(m, time.Minute).Write(m, m.dir)
		m.uses(first, "the certificate has expired")
		second.Write(m, m.dir)
		m.uses(second, reloaded)
	})
	mount(t, "a pair of the future", func(m *mounted) {
		first, _ := m.openPair()
		early := m.ca.IssueFrom(m, time.Now().Add(time.Minute), time.Hour)
		early.Write(m, m.dir)
		m.uses(first, "the certificate is not valid yet")
		m.wait(time.Minute)
		m.uses(early, "")
	})
	mount(t, "an expired pair after one that has expired too", func(m *mounted) {
		m.ca.Issue(m, time.Hour+time.Minute).Write(m, m.dir) // since an hour ago
		m.open()
		m.wait(2 * time.Minute)
		expired := m.ca.Issue(m, time.Minute)
		expired.Write(m, m.dir)
		m.uses(expired, reloaded)
	})
	// It is used, because some clients do not check it, and reported.
	mount(t, "an expired pair at the start", func(m *mounted) {
		pair := m.ca.Issue(m, time.Minute)
		pair.Write(m, m.dir)
		m.open()
		if !strings.Contains(m.logs.String(), "the certificate has expired") {
			m.Errorf("logged %q", &m.logs)
		}
		m.uses(pair, "")
	})
	// The kubelet replaces both files at once: the link to their directory gets another target.
	mount(t, "a secret of Kubernetes", func(m *mounted) {
		version := func(name string, pair certstest.Pair) {
			dir, link := filepath.Join(m.dir, name), filepath.Join(m.dir, "..data_tmp")
			err := os.Mkdir(dir, 0o700)
			pair.Write(m, dir)
			if err := errors.Join(err, os.Symlink(name, link), os.Rename(link, filepath.Join(m.dir, "..data"))); err != nil {
				m.Fatal(err)
			}
		}
		first, second := m.ca.Issue(m, day), m.ca.Issue(m, day)
		version("..1", first)
		for _, name := range []string{"tls.crt", "tls.key"} {
			if err := os.Symlink(filepath.Join("..data", name), filepath.Join(m.dir, name)); err != nil {
				m.Fatal(err)
			}
		}
		m.open()
		version("..2", second)
		m.uses(second, reloaded)
	})
}

func TestRoots(t *testing.T) {
	for name, system := range map[string]bool{"alone": false, "with those of the system": true} {
		mount(t, name, func(m *mounted) { testRoots(m, system) })
	}
}

func testRoots(m *mounted, system bool) {
	next := certstest.New(m, "next")
	trusts := func(ca *certstest.CA) bool {
		_, err := ca.Issue(m, day).TLS(m).Leaf.Verify(x509.VerifyOptions{Roots: m.files.Roots()})
		return err == nil
	}
	m.config.Cert, m.config.Key, m.config.SystemRoots = certs.File{}, certs.File{}, system
	m.open()
	if m.files.Certificate() != nil || !trusts(m.ca) || trusts(next) {
		m.Fatal("the CA file is not what is trusted")
	}
	systemRoots, err := x509.SystemCertPool()
	if err != nil {
		m.Fatal(err)
	}
	if systemRoots.AddCert(m.ca.Cert); m.files.Roots().Equal(systemRoots) != system {
		m.Errorf("the roots are not those of the system and of the file")
	}
	two := append([]byte("# a comment\n"), append(bytes.Clone(m.ca.PEM), next.PEM...)...)
	for text, want := range map[string]string{
		"":                                  "has no certificate in PEM",
		string(next.PEM[:100]):              "is incomplete",
		string(two[:len(two)-40]):           "is incomplete",
		string(m.ca.Issue(m, day).Key):      "has something other than certificates",
		"-----BEGIN X-----\n" + string(two): "is incomplete",
	} {
		m.put("ca.crt", []byte(text))
		logged := m.tick()
		if !trusts(m.ca) || trusts(next) || !strings.Contains(logged, `"tls_client_ca: has `) || !strings.Contains(logged, want) {
			m.Errorf("%q replaced the previous CA, or logged %q, want %q", text, logged, want)
		}
		m.put("ca.crt", m.ca.PEM)
		m.tick()
	}
	m.put("ca.crt", two)
	if m.tick(); !trusts(m.ca) || !trusts(next) {
		m.Error("a file of two certificates does not replace that of one")
	}
}

func TestOpenErrors(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*mounted)
		want   string
	}{
		{"no key", func(m *mounted) { m.config.Key.Path = "" }, "tls_key: no such file or directory"},
		{"no certificate", func(m *mounted) { m.config.Cert.Path = "" }, "tls_cert: no such file or directory"},
		{"no file", func(m *mounted) { m.config.Cert.Path += ".pem" }, "tls_cert: no such file or directory: /tls.crt.pem"},
		{"a directory", func(m *mounted) { m.config.Cert.Path = m.dir }, "tls_cert: is not a regular file: "},
		{"the key of another", func(m *mounted) { m.put("tls.key", m.ca.Issue(m, day).Key) },
			"tls_cert and tls_key: tls: private key does not match public key"},
		{"an encrypted key", func(m *mounted) {
			m.put("tls.key", pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED PRIVATE KEY", Bytes: []byte{0x30, 0}}))
		}, "tls_cert and tls_key: the private key is encrypted"},
		{"no CA", func(m *mounted) { m.put("ca.crt", nil) }, "tls_client_ca: has no certificate in PEM"},
	} {
		mount(t, tt.name, func(m *mounted) {
			m.ca.Issue(m, day).Write(m, m.dir)
			tt.change(m)
			files, err := certs.Open(m.config)
			if err == nil {
				files.Close()
			}
			if err == nil || strings.ReplaceAll(err.Error(), m.dir, "") != tt.want {
				m.Errorf("the error is %v, want %q", err, tt.want)
			}
		})
	}
}

// TestPublicKey: a key that every user can read is used, and reported.
func TestPublicKey(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // the mode does not contain the permissions of a file
	}
	for mode, public := range map[fs.FileMode]bool{0o400: false, 0o440: false, 0o640: false, 0o644: true, 0o444: true} {
		mount(t, mode.String(), func(m *mounted) {
			m.ca.Issue(m, day).Write(m, m.dir)
			if err := os.Chmod(m.config.Key.Path, mode); err != nil {
				m.Fatal(err)
			}
			m.open()
			const warning = `level=WARN msg="the mode of the key lets every user read it" setting=tls_key`
			if log := m.logs.String(); m.files.KeyIsPublic() != public || strings.Contains(log, warning) != public || strings.Contains(log, m.dir) {
				m.Errorf("mode %o: logged %q", mode, log)
			}
		})
	}
}
