package graph

import (
	"slices"
	"sync"

	"pixgraph/upstream"
)

// Failures are the causes of an operation's failed calls, each once, for the log only: a client sees a code. Bound:
// maxFailures texts; they end with the request.
type Failures struct {
	mu     sync.Mutex
	causes []string
}

// maxFailures bounds a log line: more kinds of failure at a time say nothing more.
const maxFailures = 8

// Note keeps the cause of a failed call. What a caller did wrong is not a failure.
func (f *Failures) Note(err error) {
	switch upstream.KindOf(err) {
	case upstream.KindNotFound, upstream.KindInvalidInput, upstream.KindForbidden, upstream.KindCanceled:
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if text := err.Error(); len(f.causes) < maxFailures && !slices.Contains(f.causes, text) {
		f.causes = append(f.causes, text)
	}
}

// List returns the causes so far.
func (f *Failures) List() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string{}, f.causes...)
}
