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

// maxManifest bounds the file in bytes: some 10,000 documents of 3 KiB. It is read at once.
const maxManifest = 32 << 20

// manifest is a file of trusted documents and what was last read from it: by their ids and hashes, maxManifest bytes at most,
// from the operator alone, until another version is read. A file that is broken, or gone, leaves the
// documents of before: a deployment that goes wrong must neither stop a service nor open it.
type manifest struct {
	path string
	rule rule
	log  *slog.Logger

	current atomic.Pointer[set]

	// Of open and poll alone, which one goroutine calls.
	seen      fs.FileInfo // of the file that was last read, nil when it could not be
	complaint string      // what was last logged against the file, "" when it is good
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

// poll reads the manifest again if it is another file than the one last read, or was written since. Renamed, rewritten
// and the target of a symbolic link that was swapped, as Kubernetes does, all show in what stat says. What is wrong
// with it is logged once.
func (m *manifest) poll() {
	if info, err := os.Stat(m.path); err == nil && m.seen != nil && same(info, m.seen) {
		return
	}
	documents, err := m.load()
	switch {
	case err == nil:
		m.current.Store(documents)
		m.complaint = ""
		m.log.LogAttrs(context.Background(), slog.LevelInfo, "trusted documents changed",
			slog.Int("documents", len(documents.byID)))
	case err.Error() != m.complaint:
		m.complaint = err.Error()
		m.log.LogAttrs(context.Background(), slog.LevelError, "trusted documents cannot be read, those of before stay",
			slog.String("setting", "persisted_manifest"), slog.String("error", m.complaint))
	}
}

func same(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// load reads and checks the file.
func (m *manifest) load() (*set, error) {
	raw, err := m.read()
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
		err = failed.Err // without the path, which may be a secret in the wrong place
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

// read returns the bytes of the file, and remembers in m.seen which file it was. What is written while it reads shows
// at the next poll, since it looks before it reads. A file that could not be read is tried again with every poll:
// permissions do not show in the time of the last write.
func (m *manifest) read() ([]byte, error) {
	m.seen = nil
	info, err := os.Stat(m.path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // to open a pipe would wait for its other end
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
