package client_test

import (
	"context"
	"net/http/httptest"
	"testing"

	"pixgraph/upstream/client"
)

// BenchmarkExchange is one call over loopback, all that the client does for it: alone, and with what protects services and
// callers. What of it is HTTP is measured beside net/http in http1/bench_test.go.
func BenchmarkExchange(b *testing.B) {
	server := httptest.NewServer(answering(`{"id":"ntf_01"}`))
	defer server.Close()
	config := client.Config{CoreURL: server.URL, DispatcherURL: server.URL}
	protected := config
	protected.Coalesce, protected.Retries = true, 1
	protected.Breaker.Percent = client.DefaultBreakerPercent
	for name, config := range map[string]client.Config{"client": config, "protected": protected} {
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
