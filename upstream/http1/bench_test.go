//go:build unix

package http1_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pixgraph/internal/buffer"
	"pixgraph/upstream/http1"
)

// BenchmarkGet measures one exchange over loopback with a minimal server: with this package, with net/http's Transport,
// and with a bare connection, which is the lower bound. The relevant figure is cpu-us/op, the time of both sides on all
// cores; subtract that of the bare connection from the others. Set GOGC=off GOMEMLIMIT=88MiB so that the garbage
// collector runs as rarely as in the gateway.
func BenchmarkGet(b *testing.B) {
	bearer := strings.Repeat("eyJhbGciOiJSUzI1NiJ9", 40)
	fields := []http1.Field{{Name: "X-Request-Id", Value: "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}, {Name: "Traceparent", Value: ""}}
	for _, size := range []int{200, 5 << 10, 400 << 10} {
		address := benchServer(b, size)
		benchmark := func(name string, get func() (int, error)) {
			b.Run(fmt.Sprintf("%d bytes/%s", size, name), func(b *testing.B) {
				b.ReportAllocs()
				before := cpu(b)
				for b.Loop() {
					if n, err := get(); err != nil || n != size {
						b.Fatal(n, err)
					}
				}
				b.ReportMetric(float64((cpu(b)-before).Nanoseconds())/1e3/float64(b.N), "cpu-us/op")
			})
		}
		server := &server{url: &url.URL{Scheme: "http", Host: address}}
		for name, host := range map[string]getter{"host": newHost(b, server), "net": newNetHTTP(b, server)} {
			benchmark(name, func() (int, error) {
				answer, err := host.Get(b.Context(), http1.Request{
					Target: "/v1/transaction/0b8f1f0e-5a3c-4d57-9a63-0f7f7a1c2d01", Bearer: bearer, Fields: fields,
					Deadline: time.Now().Add(time.Minute), MaxBody: 1 << 20,
				})
				buffer.Put(answer.Body) // as package client does when the operation ends
				return len(answer.Body), err
			})
		}

		conn, err := net.Dial("tcp", address)
		if err != nil {
			b.Fatal(err)
		}
		request := []byte("GET / HTTP/1.1\r\nAuthorization: " + bearer + "\r\n\r\n")
		answer := make([]byte, len(benchAnswer(size)))
		benchmark("bare", func() (int, error) {
			if _, err := conn.Write(request); err != nil {
				return 0, err
			}
			_, err := io.ReadFull(conn, answer)
			return size, err
		})
		_ = conn.Close()
	}
}

func benchAnswer(size int) []byte {
	return fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nDate: Sat, 31 Jan 2026 12:00:00 GMT\r\nContent-Length: %d\r\n\r\n%s",
		size, strings.Repeat("x", size))
}

// benchServer responds to every request.
func benchServer(b *testing.B, size int) (address string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	var group sync.WaitGroup
	group.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			group.Go(func() {
				defer conn.Close()
				answer, in := benchAnswer(size), bufio.NewReader(conn)
				for {
					line, err := in.ReadSlice('\n')
					if err != nil {
						return
					}
					if len(line) > 2 {
						continue
					}
					if _, err := conn.Write(answer); err != nil {
						return
					}
				}
			})
		}
	})
	b.Cleanup(func() { _ = listener.Close(); group.Wait() })
	return listener.Addr().String()
}

// cpu is the processor time of this process.
func cpu(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
