package auth

import "sync/atomic"

// Stats counts what an Authenticator has done since New.
type Stats struct {
	Accepted      uint64            // requests with an identity
	CacheHits     uint64            // those of them whose token was in the cache
	Refused       map[Reason]uint64 // by reason, with every reason as a key
	KeyFetches    uint64            // attempts to fetch an issuer's keys
	KeyFailures   uint64            // those of them that failed
	CachedTokens  int               // tokens in the cache
	IssuersWarm   int               // issuers whose keys have been fetched
	IssuersWanted int               // issuers configured
}

// Stats returns the counts so far. They are read one after the other, so related counts may differ by one under load.
func (a *Authenticator) Stats() Stats {
	s := Stats{
		Accepted:      a.counts.accepted.Load(),
		CacheHits:     a.counts.cacheHits.Load(),
		Refused:       make(map[Reason]uint64, len(a.counts.refused)),
		KeyFetches:    a.counts.fetches.Load(),
		KeyFailures:   a.counts.fetchFailures.Load(),
		CachedTokens:  a.cache.len(),
		IssuersWanted: len(a.sources),
	}
	for reason, n := range a.counts.refused {
		s.Refused[reason] = n.Load()
	}
	for _, source := range a.sources {
		if source.current.Load() != nil {
			s.IssuersWarm++
		}
	}
	return s
}

type counters struct {
	accepted, cacheHits, fetches, fetchFailures atomic.Uint64
	refused                                     map[Reason]*atomic.Uint64 // the map itself never changes
}

func newCounters() *counters {
	c := &counters{refused: make(map[Reason]*atomic.Uint64)}
	for reason := range messages {
		c.refused[reason] = new(atomic.Uint64)
	}
	return c
}

func (c *counters) refuse(r Reason) { c.refused[r].Add(1) }
