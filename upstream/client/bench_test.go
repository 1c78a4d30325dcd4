package client_test

import (
	"context"
	"net/http/httptest"
	"testing"

	"pixgraph/upstream/client"
)

// BenchmarkExchange measures one call over loopback with all work of the client: without coalescing, retries and the breaker,
// and with them. http1/bench_test.go compares the part that is HTTP with net/http.
func BenchmarkExchange(b *testing.B) {
	server := httptest.NewServer(respondWith(`{"id":"ntf_01"}`))
	defer server.Close()
	config := client.Config{CoreURL: server.URL, DispatcherURL: server.URL}
	protected := config
	protected.Coalesce, protected.Retries = true, 1
	protected.Breaker.Percent = client.DefaultBreakerPercent
	for name, config := range map[string]client.Config{"plain": config, "protected": protected} {
		b.Run(name, func(b *testing.B) {
			c, err := client.New(config)
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close()
			b.ReportAllocs()
			for b.Loop() {
				session := c.Open(client.Operation{Bearer: token, Caller: "caller"})
				if _, err := session.Notification(context.Background(), "ntf_01"); err != nil {
					b.Fatal(err)
				}
				session.End()
			}
		})
	}
}
