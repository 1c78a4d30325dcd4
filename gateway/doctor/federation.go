package doctor

import "pixgraph/graph/guard/persisted"

const federation = "federation"

// federationSettings checks the settings that decide what routers of a federated schema get.
func (e *examination) federationSettings() Check {
	s := e.Settings
	if !s.Federation {
		return Check{}
	}
	before := len(e.report.Checks)
	if s.Persisted.Only == persisted.OnlyOn {
		e.report.add(federation, warned("persisted_only=on rejects the queries of routers, which no manifest has",
			"set persisted_only=off here, and accept only trusted documents at the router"))
	}
	if !s.Introspection {
		e.report.add(federation, warned("introspection is off: routers cannot read the schema",
			"compose with the output of: pixgraph schema --federation=on"))
	}
	if len(e.report.Checks) > before {
		return Check{}
	}
	return passed("routers can read the schema and send queries")
}
