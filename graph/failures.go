package graph

import (
	"slices"
	"sync"

	"pixgraph/upstream"
)

// Failures are the distinct causes of an operation's failed calls, only for the log: a client gets a code. Bound:
// maxFailures texts. They are released with the request.
type Failures struct {
	mu     sync.Mutex
	causes []string
}

// maxFailures bounds the length of a log line.
const maxFailures = 8

// Note adds the cause of a failed call. Errors that the client caused are not failures.
func (f *Failures) Note(err error) {
	if !upstream.KindOf(err).Reaction().ByClient {
		f.add([]string{err.Error()})
	}
}

func (f *Failures) add(causes []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, text := range causes {
		if len(f.causes) < maxFailures && !slices.Contains(f.causes, text) {
			f.causes = append(f.causes, text)
		}
	}
}

// List returns the causes so far.
func (f *Failures) List() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string{}, f.causes...)
}
