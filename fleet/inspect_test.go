package fleet

import (
	"crypto/tls"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"
)

// TestInspect: a message that is published must arrive, which it does not if connections lead to different servers. The
// latency is that of a settlement.
func TestInspect(t *testing.T) {
	for name, delivers := range map[string]bool{"one server": true, "two servers": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &scripted{}
				s.set(alone, func(words []string) string {
					switch words[0] {
					case "PUBLISH":
						if conns := s.made(); delivers {
							_, _ = io.WriteString(conns[len(conns)-1], message(words[2]))
						}
					case "EVAL":
						time.Sleep(3 * time.Millisecond)
					}
					return working(words)
				})
				found, err := Inspect(t.Context(), Config{
					URL: "redis://" + alone, Dial: s.dial, TLS: func() *tls.Config { return nil }, Log: slog.New(slog.DiscardHandler),
				})
				if err != nil || found.Silent == delivers || found.Failed != nil || len(found.Denied) > 0 || found.Latency != 3*time.Millisecond {
					t.Errorf("%+v, %v", found, err)
				}
			})
		})
	}
}
