package persisted

import (
	"sync/atomic"

	"pixgraph/graph/apierror"
)

// Stats counts the requests that named a document since New.
type Stats struct {
	Hits   uint64 // requests whose document was found
	Misses uint64 // requests whose document is unknown
}

// counts are the counters behind Stats.
type counts struct{ hits, misses atomic.Uint64 }

// note counts a request by the text that it sent, the text that was found, and the error.
func (c *counts) note(sent, found string, refused *apierror.Error) {
	switch {
	case refused != nil && refused.Code == apierror.PersistedNotFound:
		c.misses.Add(1)
	case refused == nil && sent == "" && found != "":
		c.hits.Add(1)
	}
}

// Stats returns the current counts.
func (d *Documents) Stats() Stats { return Stats{d.counts.hits.Load(), d.counts.misses.Load()} }
