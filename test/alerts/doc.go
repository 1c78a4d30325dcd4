// Package alerts tests the alerts and the dashboard of deploy/ against the metrics of gateways, and what fires in an
// incident with Prometheus's own promtool. It has tests only.
package alerts
