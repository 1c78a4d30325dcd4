package gateway_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"pixgraph/test/replica"
)

// TestUntrusted: with persisted_only=report every document runs, and those that are not in the manifest are counted by
// client and logged, each time.
func TestUntrusted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		manifest := filepath.Join(t.TempDir(), "manifest.json")
		if err := os.WriteFile(manifest, []byte(`{"known":"query Known { __typename }"}`), 0o600); err != nil {
			t.Fatal(err)
		}
		box := replica.NewSandbox(t)
		r := box.Start(t, "--persisted-only=report", "--persisted-manifest="+manifest)
		r.Token = box.Token()
		client := http.Header{"Apollographql-Client-Name": {"app"}, "Apollographql-Client-Version": {"7"}}
		for range 2 {
			r.QueryWith(client, "query Known { __typename }").WantOK()
			r.QueryWith(client, "query New { __typename }").WantOK()
		}
		for _, line := range []string{
			`pixgraph_client_operations_total{client="app",version="7"} 4`, `pixgraph_client_untrusted_total{client="app",version="7"} 2`,
		} {
			if text := scrape(r); !strings.Contains(text, "\n"+line+"\n") {
				t.Errorf("no %s in %s", line, text)
			}
		}
		log := r.Stdout.String() + r.Stderr.String()
		if n := strings.Count(log, `"untrusted":true`); n != 2 || !strings.Contains(log, `"name":"New"`) {
			t.Errorf("%d lines in %s", n, log)
		}
	})
}

// TestMetrics: operations, calls, requests and errors are counted.
func TestMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := replica.NewSandbox(t)
		r := box.Start(t)
		r.Exercise(box)
		text := scrape(r)
		for _, line := range []string{
			`pixgraph_operations_total{operation="Page",outcome="ok"} 1`,
			`pixgraph_operations_total{operation="Broken",outcome="upstream_error"} 1`,
			`pixgraph_operations_total{operation="anonymous",outcome="client_error"} 1`,
			`pixgraph_operations_total{operation="none",outcome="client_error"} 2`,
			`pixgraph_operations_total{operation="none",outcome="gateway_error"} 0`,
			`pixgraph_operation_errors_total{code="NOT_FOUND",operation="anonymous"} 1`,
			`pixgraph_operation_errors_total{code="UPSTREAM_INVALID_RESPONSE",operation="Broken"} 1`,
			`pixgraph_operation_duration_seconds_count{operation="Page"} 1`,
			`pixgraph_client_operations_total{client="unknown",version="unknown"} 7`,
			`pixgraph_http_requests_total{path="/graphql",status="401"} 1`,
			`pixgraph_upstream_calls_total{outcome="ok",route="/deposit",service="core",status="200"} 3`,
			`pixgraph_upstream_calls_total{outcome="not_found",route="/transaction/{id}",service="core",status="404"} 1`,
			`pixgraph_upstream_call_duration_seconds_count{route="/deposit",service="core"} 3`,
			`pixgraph_upstream_breaker_state{service="core",state="closed"} 1`,
			`pixgraph_bad_records_total{service="core"} 2`,
			`pixgraph_bad_records_total{service="dispatcher"} 0`,
			`pixgraph_unknown_enum_values_total{type="DepositStatus"} 2`,
			`pixgraph_limits_hit_total{limit="validation"} 1`,
			`pixgraph_tokens_refused_total{reason="malformed"} 1`,
			`pixgraph_tokens_refused_total{reason="expired"} 0`,
			`pixgraph_jwks_fetches_total{issuer="` + box.Issuer().URL() + `"} 1`, `pixgraph_callers{result="all",service="core"} 1`,
			`pixgraph_operations_in_flight 0`,
			`pixgraph_loader_joins_total{record="transaction"}`,
			`pixgraph_loader_batch_size_count{record="transaction"} 2`, `pixgraph_loader_batch_size_count{record="withdrawal"} 0`,
			`pixgraph_live_limit{kind="streams"} 20000`, `pixgraph_live_limit{kind="reads"} 1000`,
			`pixgraph_build_info{`, `go_goroutines`, `process_resident_memory_bytes`,
		} {
			if !strings.Contains(text, line) {
				t.Errorf("no %s", line)
			}
		}
		if t.Failed() {
			t.Log(ours(text))
		}
	})
}

// ours are the lines of the gateway's own metrics.
func ours(text string) string {
	var lines strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "pixgraph_") && !strings.Contains(line, "_bucket") {
			lines.WriteString(line)
		}
	}
	return lines.String()
}
