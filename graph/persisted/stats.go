package persisted

import (
	"sync/atomic"

	"pixgraph/graph/apierror"
)

// Stats counts what requests named since New.
type Stats struct {
	Hits   uint64 // documents found by their name
	Misses uint64 // names that no document has
}

// counts is Stats as it is counted.
type counts struct{ hits, misses atomic.Uint64 }

// note counts a request that sent one text, came to run another, or was refused.
func (c *counts) note(sent, found string, refused *apierror.Error) {
	switch {
	case refused != nil && refused.Code == apierror.PersistedNotFound:
		c.misses.Add(1)
	case refused == nil && sent == "" && found != "":
		c.hits.Add(1)
	}
}

// Stats returns the counts so far.
func (d *Documents) Stats() Stats { return Stats{d.counts.hits.Load(), d.counts.misses.Load()} }
