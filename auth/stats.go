package auth

import (
	"sync/atomic"

	"pixgraph/internal/distinct"
)

// Stats counts what an Authenticator has done since New.
type Stats struct {
	Forwarded    uint64                 // requests with a token in forward mode
	CacheHits    uint64                 // requests with an identity whose token was in the cache
	Refused      map[Reason]uint64      // requests without an identity, by reason, with every reason as a key
	CachedTokens int                    // tokens in the cache
	Issuers      map[string]IssuerStats // empty in forward mode
}

// IssuerStats counts what concerns one issuer.
type IssuerStats struct {
	Accepted    uint64 // requests with its tokens
	Unavailable uint64 // requests whose tokens could not be verified, because its keys were unavailable
	KeyFetches  uint64 // attempts to fetch its keys
	KeyFailures uint64 // those of them that failed
	Keys        string // fresh, stale if the last attempt failed, or missing if none has succeeded
	// Callers had a valid token lately, or one that it has signed for another audience, and CallersRefused only the
	// latter.
	Callers, CallersRefused int
}

// Stats returns the counts so far. They are read one after the other, so related counts may differ by one under load.
func (a *Authenticator) Stats() Stats {
	s := Stats{
		Forwarded:    a.counts.forwarded.Load(),
		CacheHits:    a.counts.cacheHits.Load(),
		Refused:      make(map[Reason]uint64, len(a.counts.refused)),
		CachedTokens: a.cache.len(),
		Issuers:      make(map[string]IssuerStats, len(a.sources)),
	}
	for reason, n := range a.counts.refused {
		s.Refused[reason] = n.Load()
	}
	for issuer, source := range a.sources {
		s.Issuers[issuer] = source.stats()
	}
	return s
}

func (s *keySource) stats() IssuerStats {
	c := &s.counts
	callers := c.callers.Count()
	keys := "fresh"
	switch {
	case s.current.Load() == nil:
		keys = "missing"
	case s.isFailing():
		keys = "stale"
	}
	return IssuerStats{
		Accepted: c.accepted.Load(), Unavailable: c.unavailable.Load(), KeyFetches: c.fetches.Load(), KeyFailures: c.failures.Load(),
		Keys: keys, Callers: callers.All, CallersRefused: callers.Unsuccessful,
	}
}

// counters are those of all issuers.
type counters struct {
	forwarded, cacheHits atomic.Uint64
	refused              map[Reason]*atomic.Uint64 // the map itself never changes
}

// sourceCounters are those of one issuer.
type sourceCounters struct {
	accepted, unavailable, fetches, failures atomic.Uint64
	callers                                  *distinct.Callers
}

func newCounters() *counters {
	c := &counters{refused: make(map[Reason]*atomic.Uint64)}
	for reason := range messages {
		c.refused[reason] = new(atomic.Uint64)
	}
	return c
}

func (c *counters) refuse(reason Reason) { c.refused[reason].Add(1) }
