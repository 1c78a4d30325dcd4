package serve

import (
	"pixgraph/graph"
	"pixgraph/graph/trace"
)

// HeaderTrace is the request header that, with the value 1, requests extensions.trace if Config.Trace allows it.
const HeaderTrace = "X-Pixgraph-Trace"

// traceExtension is the key of the trace in the extensions of a response.
const traceExtension = "trace"

func traceOf(collected *trace.Collector) any {
	return collected.Trace(func(err error) string { return string(graph.CodeOf(err)) })
}
