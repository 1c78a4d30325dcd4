package telemetry

import "pixgraph/fleet"

// The metrics of Redis, which exist with redis_url only.
var (
	redisUp        = level("pixgraph_redis_up", "1 while Redis is used; 0 while this replica limits rates on its own.")
	redisReplicas  = level("pixgraph_redis_replicas", "Replicas of the fleet that were seen last, this one included.")
	redisRefused   = total("pixgraph_redis_refused_commands_total", "Commands without a result.", "reason")
	redisSettled   = total("pixgraph_redis_settled_units_total", "Upstream calls that this replica has settled with the others, for their rate limits.")
	redisDocuments = total("pixgraph_redis_documents_total", "Searches for registered documents of other replicas, and documents for them, by result.", "result")
	redisHints     = total("pixgraph_redis_hints_total", "Hints at records that may have changed: sent, received, dropped.", "result")
)

func (out sink) fleet(s fleet.Stats) {
	up := 0
	if s.Up {
		up = 1
	}
	put(out, redisUp, up)
	put(out, redisReplicas, s.Replicas)
	put(out, redisSettled, s.Settled)
	putEach(out, redisRefused, s.Refused)
	putEach(out, redisDocuments, s.Documents)
	putEach(out, redisHints, s.Hints)
	s.Latency.Collect(out)
}
