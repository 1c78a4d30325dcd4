package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Gauges of callers have the results all, failed (lately) and unsuccessful (lately with failures only). They are not
// summed: the second is a part of the first.
var operationCallersOf = level("pixgraph_operation_callers",
	"Callers of the last minutes: all, those with an operation that failed because of an API or the gateway, and those without a successful operation.", "result")

// operationCallers exports how many callers of operations succeed and fail.
type operationCallers struct{ *Metrics }

// Describe implements prometheus.Collector.
func (operationCallers) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (o operationCallers) Collect(metrics chan<- prometheus.Metric) {
	answered := o.answered.Count()
	put(sink(metrics), operationCallersOf, answered.All, "all")
	put(sink(metrics), operationCallersOf, o.faults.Count().Failed, "failed")
	put(sink(metrics), operationCallersOf, answered.Unsuccessful, "unsuccessful")
}

// clock lets Prometheus compare the clock of this machine with its own: with a wrong one, valid tokens are expired.
func clock() prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "pixgraph_time_seconds", Help: "The time, in seconds since 1970."}, func() float64 {
		return float64(time.Now().UnixMilli()) / 1000
	})
}
