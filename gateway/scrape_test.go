package gateway_test

import (
	"testing/synctest"

	"pixgraph/test/replica"
)

// scrape reads the metrics of a gateway when all requests are counted. A client may have its response a moment earlier.
func scrape(r *replica.Replica) string {
	r.T.Helper()
	synctest.Wait()
	return string(r.Admin.Get("/metrics").WantOK().Body)
}
