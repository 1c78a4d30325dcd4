package persisted

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"

	"pixgraph/internal/filewatch"
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
// If the file is invalid or missing, the previous set stays in use: a failed deployment must neither stop the service
// nor remove its protection.
type manifest struct {
	config Config // Schema, Rules, MaxTokens and Log

	current atomic.Pointer[set]

	// The following fields are used by open and poll only, which one goroutine calls.
	file   filewatch.File
	logged string // the error that was last logged; "" if the file is valid
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

// poll reads the manifest again if its file has changed. The same error is logged only once.
func (m *manifest) poll() {
	if !m.file.Changed() {
		return
	}
	documents, err := m.load()
	switch {
	case err == nil:
		m.current.Store(documents)
		m.logged = ""
		m.config.Log.LogAttrs(context.Background(), slog.LevelInfo, "manifest reloaded",
			slog.Int("documents", len(documents.byID)))
	case err.Error() != m.logged:
		m.logged = err.Error()
		m.config.Log.LogAttrs(context.Background(), slog.LevelError, "manifest cannot be read, its previous documents stay in use",
			slog.String("setting", "persisted_manifest"), slog.String("error", m.logged))
	}
}

// load reads and checks the file.
func (m *manifest) load() (*set, error) {
	raw, err := m.file.Read()
	if err != nil {
		return nil, err
	}
	operations, err := ReadOperations(raw)
	if err != nil {
		return nil, err
	}
	return m.trust(operations)
}
