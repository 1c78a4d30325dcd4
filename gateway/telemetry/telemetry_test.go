package telemetry

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"pixgraph/request"
	"pixgraph/serve"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
)

// The metrics of a running gateway are tested in package gateway. These tests need no gateway.

// scrape is the response to a scrape.
func scrape(m *Metrics) string {
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return w.Body.String()
}

// TestSeries: concurrent calls count in one series.
func TestSeries(t *testing.T) {
	m := New()
	var callers sync.WaitGroup
	for range 50 {
		callers.Go(func() {
			m.Calls().End(t.Context(), client.Exchange{Service: upstream.Core, Route: "/deposit", Status: 200})
		})
	}
	callers.Wait()
	if text := scrape(m); !strings.Contains(text, `service="core",status="200"} 50`) {
		t.Error(text)
	}
}

// TestExchangeLabels: the labels of a call come from short lists, whatever an API responds.
func TestExchangeLabels(t *testing.T) {
	failed := func(kind upstream.Kind) error { return &upstream.Error{Service: upstream.Core, Kind: kind} }
	tests := []struct {
		name string
		e    client.Exchange
		want string // of the labels
	}{
		{"good", client.Exchange{Status: 200}, `outcome="ok",route="/deposit",service="core",status="200"`},
		{"no response", client.Exchange{Err: failed(upstream.KindUnavailable)}, `outcome="unavailable",route="/deposit",service="core",status="none"`},
		{"a deadline of the client", client.Exchange{Err: failed(upstream.KindClientDeadline)},
			`outcome="client_deadline",route="/deposit",service="core",status="none"`},
		{"a status of the spec", client.Exchange{Status: 404, Err: failed(upstream.KindNotFound)},
			`outcome="not_found",route="/deposit",service="core",status="404"`},
		{"an unusual status", client.Exchange{Status: 299, Err: failed(upstream.KindInvalidResponse)},
			`outcome="invalid_response",route="/deposit",service="core",status="2xx"`},
		{"an error of another kind", client.Exchange{Status: 500, Err: errors.New("s3cret")}, `outcome="internal",route="/deposit",service="core",status="500"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := New()
			tt.e.Service, tt.e.Route = upstream.Core, "/deposit"
			m.Calls().End(t.Context(), tt.e)
			if text := scrape(m); !strings.Contains(text, "pixgraph_upstream_calls_total{"+tt.want+"} 1") || strings.Contains(text, "s3cret") {
				t.Errorf("no %s in %s", tt.want, text)
			}
		})
	}
}

// TestRefusedOperationsAddNoLabels: operations that do not run cannot displace the names of those that do.
func TestRefusedOperationsAddNoLabels(t *testing.T) {
	m := New()
	for i := range maxOperations {
		m.End(m.Begin(t.Context(), serve.Operation{}), serve.Operation{Name: fmt.Sprint("Costly", i), Type: "query"}, serve.Result{})
	}
	m.End(m.Begin(t.Context(), serve.Operation{}), serve.Operation{Name: "Page", Type: "query"}, serve.Result{Ran: true})
	text := scrape(m)
	if !strings.Contains(text, `pixgraph_operations_total{operation="Page",outcome="ok"} 1`) || strings.Contains(text, "Costly") {
		t.Errorf("metrics: %s", text)
	}
}

// TestLabelsAreBounded: the number of series is bounded, however many names clients send.
func TestLabelsAreBounded(t *testing.T) {
	m := New()
	for i := range 300 {
		name := fmt.Sprint("flood", i)
		m.End(m.Begin(t.Context(), serve.Operation{}), serve.Operation{Name: name, Type: "query"},
			serve.Result{Ran: true, Client: request.Client{Name: name}})
	}
	text := scrape(m)
	for metric, limit := range map[string]int{
		"pixgraph_operation_duration_seconds_count{": maxOperations + 1, "pixgraph_client_operations_total{": maxClients + 1, // one for all others
	} {
		if n := strings.Count(text, "\n"+metric); n != limit {
			t.Errorf("%d series of %s, want %d", n, metric, limit)
		}
	}
	if !strings.Contains(text, `pixgraph_operations_total{operation="other",outcome="ok"} 102`) {
		t.Errorf("the other operations are not counted: %s", text)
	}
}

// TestAround: requests are counted by status, also if the handler panics.
func TestAround(t *testing.T) {
	tests := []struct {
		name, path string
		handler    http.HandlerFunc
		want       string
	}{
		{"only a body", "/graphql", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{}")) }, `path="/graphql",status="200"`},
		{"a status", "/graphql", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }, `path="/graphql",status="418"`},
		{"two statuses", "/", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotFound)
			w.WriteHeader(http.StatusOK)
		}, `path="/",status="404"`},
		{"another path", "/123.456.789-09", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }, `path="other",status="404"`},
		{"a panic", "/graphql", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, `path="/graphql",status="none"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, _, spansOf := traced(t)
			func() {
				defer func() { _ = recover() }()
				m.Around(tt.handler).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, tt.path, nil))
			}()
			text := scrape(m)
			if !strings.Contains(text, "pixgraph_http_requests_total{"+tt.want+"} 1") || !strings.Contains(text, "pixgraph_http_requests_in_flight 0") {
				t.Errorf("no %s in %s", tt.want, text)
			}
			if spans := spansOf(); len(spans) != 1 || spans[0].EndTime.Before(spans[0].StartTime) {
				t.Errorf("spans: %v", spans)
			}
		})
	}
}
