package issuer_test

import (
	"crypto/ecdsa"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pixgraph/sandbox/issuer"
)

// openKey opens a key file and fails the test unless a key is returned.
func openKey(t *testing.T, path string) (*ecdsa.PrivateKey, error) {
	t.Helper()
	key, err := issuer.OpenKey(path)
	if key == nil {
		t.Fatal("no key")
	}
	return key, err
}

// wantStored fails the test unless the file has the key and only the user can read it.
func wantStored(t *testing.T, path string, key *ecdsa.PrivateKey) {
	t.Helper()
	if again, err := openKey(t, path); err != nil || !again.Equal(key) {
		t.Errorf("the next call returns another key, %v", err)
	}
	for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700 | os.ModeDir} {
		info, err := os.Stat(name)
		if err != nil || info.Mode() != want {
			t.Errorf("%s has the mode %v, want %v", name, info.Mode(), want)
		}
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("%d files in the directory, want the key's only", len(entries))
	}
}

func TestKeyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pixgraph", "key.pem")
	key, err := openKey(t, path)
	must(t, err)
	wantStored(t, path, key)
}

// TestKeyFileReplaced: a file without a usable key gets a new one.
func TestKeyFileReplaced(t *testing.T) {
	const otherCurve = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
-----END PRIVATE KEY-----
`
	for name, text := range map[string]string{
		"empty": "", "not PEM": "x", "not a private key": "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n",
		"not PKCS #8": "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n", "another type": otherCurve,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "pixgraph", "key.pem")
			must(t, os.Mkdir(filepath.Dir(path), 0o700))
			must(t, os.WriteFile(path, []byte(text), 0o644))
			key, err := openKey(t, path)
			if !errors.Is(err, issuer.ErrReplaced) {
				t.Errorf("error %v", err)
			}
			wantStored(t, path, key)
		})
	}
}

// TestKeyFileCannotBeWritten: the key is in memory only, and the error says so without a path.
func TestKeyFileCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	must(t, os.WriteFile(file, nil, 0o600))
	for name, path := range map[string]string{
		"a directory that is a file": filepath.Join(file, "pixgraph", "key.pem"),
		"a file that is a directory": dir,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := openKey(t, path)
			if err == nil || errors.Is(err, issuer.ErrReplaced) || strings.Contains(err.Error(), dir) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestKeyFileTogether: sandboxes that start at the same time have one key.
func TestKeyFileTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pixgraph", "key.pem")
	keys := make([]*ecdsa.PrivateKey, 16)
	var opening sync.WaitGroup
	for i := range keys {
		opening.Go(func() {
			var err error
			if keys[i], err = issuer.OpenKey(path); err != nil {
				t.Error(err)
			}
		})
	}
	opening.Wait()
	for _, key := range keys {
		if !key.Equal(keys[0]) {
			t.Fatal("two keys")
		}
	}
	wantStored(t, path, keys[0])
}
