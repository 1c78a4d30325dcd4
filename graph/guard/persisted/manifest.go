package persisted

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"

	"pixgraph/internal/filewatch"
)

// maxManifest bounds a file in bytes, to about 10,000 documents of 3 KiB. The file is read as a whole.
const maxManifest = 32 << 20

// manifest is the files of trusted documents and the set that was last read from them.
//
//   - Key: the ids and hashes of the documents.
//   - Bound: maxManifest bytes of text for each file.
//   - Filled by: the operator alone.
//   - Emptied by: a new version of a file, which replaces the set.
//
// If a file is invalid or missing, the previous set stays in use: a failed deployment must neither stop the service nor
// remove its protection.
type manifest struct {
	config Config // Schema, Rules, MaxTokens and Log

	current atomic.Pointer[set]

	// The following fields are used by New and poll only, which one goroutine calls.
	files  []filewatch.File
	logged string // the error that was last logged; "" if the files are valid
}

// poll reads the manifest again if a file has changed. The same error is logged only once.
func (m *manifest) poll() {
	if !slices.ContainsFunc(m.files, func(f filewatch.File) bool { return f.Changed() }) {
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

// load reads and checks the files. With several, its error has the number of the file: a path may be a secret that was
// set by mistake.
func (m *manifest) load() (*set, error) {
	var all []Operation
	for i := range m.files {
		raw, err := m.files[i].Read()
		var operations []Operation
		if err == nil {
			operations, err = ReadOperations(raw)
		}
		switch {
		case err != nil && len(m.files) > 1:
			return nil, fmt.Errorf("file %d: %w", i+1, err)
		case err != nil:
			return nil, err
		}
		all = append(all, operations...)
	}
	return m.trust(all)
}
