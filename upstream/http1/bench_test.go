//go:build unix

package http1_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"pixgraph/internal/buffer"
	"pixgraph/upstream/http1"
)

// BenchmarkGet measures one exchange over loopback with a minimal server: with this package, and with net/http's
// Transport. The relevant figure is cpu-us/op, the time of both sides on all cores. Set GOGC=off GOMEMLIMIT=88MiB so
// that the garbage collector runs as rarely as in the gateway.
func BenchmarkGet(b *testing.B) {
	bearer := strings.Repeat("eyJhbGciOiJSUzI1NiJ9", 40)
	fields := []http1.Field{{Name: "X-Request-Id", Value: "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}, {Name: "Traceparent", Value: ""}}
	for _, size := range []int{200, 5 << 10, 400 << 10} {
		answer := ok(strings.Repeat("x", size))
		s := serve(b, func(p *peer) {
			for p.request() {
				p.write(answer)
			}
		})
		for name, host := range map[string]getter{"host": newHost(b, s), "net": newNetHTTP(b, s)} {
			b.Run(fmt.Sprintf("%d bytes/%s", size, name), func(b *testing.B) {
				b.ReportAllocs()
				before := cpu(b)
				for b.Loop() {
					answer, err := host.Get(b.Context(), http1.Request{
						Target: "/v1/transaction/0b8f1f0e-5a3c-4d57-9a63-0f7f7a1c2d01", Bearer: bearer, Fields: fields,
						Deadline: time.Now().Add(time.Minute), MaxBody: 1 << 20,
					})
					if err != nil || len(answer.Body) != size {
						b.Fatal(len(answer.Body), err)
					}
					buffer.Put(answer.Body) // as package client does when the operation ends
				}
				b.ReportMetric(float64((cpu(b)-before).Nanoseconds())/1e3/float64(b.N), "cpu-us/op")
			})
		}
	}
}

// cpu is the processor time of this process.
func cpu(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
