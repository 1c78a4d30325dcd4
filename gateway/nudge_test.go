package gateway

import (
	"net/http"
	"strings"
	"testing"
)

// TestNudgeSecret: the binary takes webhooks at the secret path, and shows the secret neither in its log, its startup line
// included, nor in metrics and spans, also if a webhook fails.
func TestNudgeSecret(t *testing.T) {
	const secret = "a-secret-of-the-dispatcher"
	r, exporter := launchTraced(t, "--live-nudge-secret="+secret, "--log-level=debug", "--log-one-in=1")
	for _, tt := range []struct {
		method, path string
		status       int
	}{
		{http.MethodPost, "/nudge/" + secret, http.StatusNoContent},
		{http.MethodGet, "/nudge/" + secret, http.StatusNotFound},
		{http.MethodPost, "/nudge/" + secret + "x", http.StatusNotFound},
		{http.MethodPost, "/graphql/nudge/" + secret, http.StatusNotFound},
	} {
		req, err := http.NewRequestWithContext(t.Context(), tt.method, r.URL+tt.path, strings.NewReader(`{"id":"x"}`))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != tt.status {
			t.Errorf("%s %s: status %d, want %d", tt.method, tt.path, resp.StatusCode, tt.status)
		}
	}
	metrics := r.scrape()
	spans := exporter.stopped(r)
	if len(spans) == 0 {
		t.Error("no spans")
	}
	text := metrics + r.stderr.String() + r.stdout.String()
	for _, span := range spans {
		text += spanText(span)
	}
	if strings.Contains(text, secret) {
		t.Error("the secret is shown")
	}
}
