package certs

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"

	"pixgraph/internal/filewatch"
)

// loaded is a value that is made of files, as it was last loaded. Only get may be called by several goroutines, and on
// nil.
type loaded[T any] struct {
	parse func(texts [][]byte, old *T) (*T, error)
	log   *slog.Logger

	current  atomic.Pointer[T]
	files    []*filewatch.File
	settings []string // of the files
	failure  string   // of the last load; "" if it succeeded
}

func (l *loaded[T]) get() *T {
	if l == nil {
		return nil
	}
	return l.current.Load()
}

func (l *loaded[T]) open(files ...File) error {
	for _, f := range files {
		l.files = append(l.files, &filewatch.File{Path: f.Path, Max: maxFile})
		l.settings = append(l.settings, f.Setting)
	}
	return l.load()
}

// load reads the files. All of them must be read before the first is parsed: they belong together.
func (l *loaded[T]) load() error {
	texts := make([][]byte, len(l.files))
	for i, file := range l.files {
		var err error
		if texts[i], err = file.Read(); err != nil {
			return fmt.Errorf("%s: %w", l.settings[i], err)
		}
	}
	value, err := l.parse(texts, l.get())
	if err != nil {
		return fmt.Errorf("%s: %w", strings.Join(l.settings, " and "), err)
	}
	l.current.Store(value)
	return nil
}

// poll loads the files again if they have changed or could not be used. The same failure is logged once.
func (l *loaded[T]) poll() {
	if l == nil || l.failure == "" && !slices.ContainsFunc(l.files, (*filewatch.File).Changed) {
		return
	}
	err := l.load()
	switch {
	case err == nil:
		l.failure = ""
		l.log.Info("certificates reloaded", "settings", strings.Join(l.settings, ","))
	case err.Error() != l.failure:
		l.failure = err.Error()
		l.log.LogAttrs(context.Background(), slog.LevelError, "certificates cannot be loaded, the previous ones stay in use",
			slog.String("error", l.failure))
	}
}
