package issuer

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// pemType is the type of the PEM block, which holds PKCS #8.
const pemType = "PRIVATE KEY"

// ErrReplaced is wrapped by the error of OpenKey if the file had no usable key and now has a new one.
var ErrReplaced = errors.New("the file had no usable key and was replaced")

// OpenKey returns the signing key in a file, which it creates with its directory if it is missing. It always returns a
// key. The error is nil if the next call returns the same key; it wraps ErrReplaced if the file had another content;
// with any other error the key is in memory only. Several processes may call it at the same time.
func OpenKey(path string) (*ecdsa.PrivateKey, error) {
	key, unusable := readKey(path)
	if unusable == nil {
		return key, nil
	}
	key = newKey()
	missing := errors.Is(unusable, fs.ErrNotExist)
	if err := writeKey(path, key, missing); err != nil {
		return key, withoutPath(err)
	}
	// Another process may have written its key at the same time: the file decides.
	if kept, err := readKey(path); err == nil {
		key = kept
	}
	if missing {
		return key, nil
	}
	return key, fmt.Errorf("%w: %w", ErrReplaced, withoutPath(unusable))
}

func readKey(path string) (*ecdsa.PrivateKey, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil || block.Type != pemType {
		return nil, errors.New("not a private key in PEM")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, errors.New("not a private key in PKCS #8")
	}
	key, ok := parsed.(*ecdsa.PrivateKey)
	if !ok || key.Curve != elliptic.P256() {
		return nil, errors.New("a key of another type")
	}
	return key, nil
}

// writeKey writes the whole file or nothing. If the file was missing, it keeps one that another process has created
// since then.
func writeKey(path string, key *ecdsa.PrivateKey, missing bool) error {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(dir, ".key-*") // with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // does nothing after a rename
	err = pem.Encode(file, &pem.Block{Type: pemType, Bytes: der})
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if missing {
		if err := os.Link(file.Name(), path); err == nil || errors.Is(err, fs.ErrExist) {
			return nil
		} // the file system has no links
	}
	return os.Rename(file.Name(), path)
}

// withoutPath returns the cause of an error of a file, without the user's name that a path may contain.
func withoutPath(err error) error {
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return failed.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}
