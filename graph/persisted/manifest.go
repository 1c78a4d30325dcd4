package persisted

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"sync/atomic"
)

// maxManifest bounds the file in bytes, to about 10,000 documents of 3 KiB. The file is read as a whole.
const maxManifest = 32 << 20

// manifest is the file of trusted documents and the set that was last read from it.
//
//   - Key: the ids and hashes of the documents.
//   - Bound: maxManifest bytes of text.
//   - Filled by: the operator alone.
//   - Emptied by: a new version of the file, which replaces the set.
//
// If the file is invalid or missing, the previous set stays in use: a failed deployment must neither stop the service nor
// remove its protection.
type manifest struct {
	path string
	rule rule
	log  *slog.Logger

	current atomic.Pointer[set]

	// The following fields are used by open and poll only, which one goroutine calls.
	seen   fs.FileInfo // of the file that was last read; nil if reading failed
	logged string      // the error that was last logged; "" if the file is valid
}

// open reads the manifest for the first time. Its error names the setting.
func (m *manifest) open() error {
	documents, err := m.load()
	if err != nil {
		return fmt.Errorf("persisted_manifest: %w", err)
	}
	m.current.Store(documents)
	return nil
}

// poll reads the manifest again if the path leads to another file or if the file was written since. The result of stat
// shows a rename, a rewrite, and a changed target of a symbolic link, as with Kubernetes volumes. The same error is
// logged only once.
func (m *manifest) poll() {
	if info, err := os.Stat(m.path); err == nil && m.seen != nil && same(info, m.seen) {
		return
	}
	documents, err := m.load()
	switch {
	case err == nil:
		m.current.Store(documents)
		m.logged = ""
		m.log.LogAttrs(context.Background(), slog.LevelInfo, "manifest reloaded",
			slog.Int("documents", len(documents.byID)))
	case err.Error() != m.logged:
		m.logged = err.Error()
		m.log.LogAttrs(context.Background(), slog.LevelError, "manifest cannot be read, its previous documents stay in use",
			slog.String("setting", "persisted_manifest"), slog.String("error", m.logged))
	}
}

func same(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// load reads and checks the file.
func (m *manifest) load() (*set, error) {
	raw, err := m.read()
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
		err = failed.Err // without the path: it may be a secret set by mistake
	}
	if err != nil {
		return nil, err
	}
	operations, err := readOperations(raw)
	if err != nil {
		return nil, err
	}
	return m.rule.trust(operations)
}

// read returns the content of the file and records its identity in m.seen. It calls stat before it reads, so a write
// during the read is noticed by the next poll. A file that could not be read is retried with every poll, since a change
// of permissions does not change the time of the last write.
func (m *manifest) read() ([]byte, error) {
	m.seen = nil
	info, err := os.Stat(m.path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a pipe would block until its other end opens
		return nil, errors.New("is not a regular file")
	}
	file, err := os.Open(m.path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(io.LimitReader(file, maxManifest+1))
	if err != nil {
		return nil, err
	}
	m.seen = info
	if len(raw) > maxManifest {
		return nil, fmt.Errorf("is larger than %d bytes", maxManifest)
	}
	return raw, nil
}
