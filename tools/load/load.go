package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"pixgraph/internal/process"
)

// load is clients in a closed loop: each sends its next request when it has the response to the last one.
type load struct {
	clients  []*connection
	pace     time.Duration // the minimum time between two requests of a client
	exchange exchange

	mu      sync.Mutex
	current sample // of the run
}

// exchange makes the n-th exchange of a client in a run. It returns the outcome to count, and the minimum time until
// the client's next request.
type exchange func(ctx context.Context, c *connection, n int) (outcome string, pause time.Duration, err error)

// sample is what the clients of a load observed in a run, and what the server used during the run.
type sample struct {
	totals
	latencies    durations // sorted
	elapsed, cpu time.Duration
	usage        process.Usage // at the end
}

// totals are the outcomes of exchanges.
type totals struct {
	Outcomes map[string]int
	FirstOK  time.Time // the end of the first exchange with the outcome ok
	Failure  string    // the error that ended the run; "" for none
}

// newLoad returns a load whose clients use the addresses in turn.
func newLoad(clients int, exchange exchange, addresses ...string) *load {
	l := &load{exchange: exchange}
	for id := range clients {
		l.clients = append(l.clients, newConnection(id, addresses[id%len(addresses)]))
	}
	return l
}

func (l *load) close() {
	for _, c := range l.clients {
		c.close()
	}
}

// measure runs a load and reads what the server uses.
func (l *load) measure(ctx context.Context, p *process.Process, duration time.Duration) (sample, error) {
	before, noBefore := p.Usage()
	s, err := l.run(ctx, duration)
	usage, noUsage := p.Usage()
	s.usage, s.cpu = usage, usage.CPU-before.CPU
	return s, errors.Join(err, noBefore, noUsage)
}

// run lets each client send requests for the duration, at least one, and waits for the last responses. The connections
// stay open. An error of one client, or the end of the context, ends the run with an error.
func (l *load) run(ctx context.Context, duration time.Duration) (sample, error) {
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)
	l.mu.Lock()
	l.current = sample{totals: totals{Outcomes: map[string]int{}}}
	l.mu.Unlock()
	began := time.Now()
	var running sync.WaitGroup
	for _, c := range l.clients {
		running.Go(func() {
			if err := l.runClient(ctx, c, began, duration); err != nil {
				abort(err)
			}
		})
	}
	running.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.current.elapsed = time.Since(began)
	slices.Sort(l.current.latencies)
	err := context.Cause(ctx)
	if err != nil {
		l.current.Failure = err.Error()
	}
	return l.current, err
}

func (l *load) runClient(ctx context.Context, c *connection, began time.Time, duration time.Duration) error {
	due := began.Add(l.pace * time.Duration(c.id) / time.Duration(len(l.clients))) // not all at the same time
	for n := 0; n == 0 || time.Since(began) < duration; n++ {
		if err := wait(ctx, time.Until(due)); err != nil {
			return err
		}
		begin := time.Now()
		outcome, pause, err := l.exchange(ctx, c, n)
		if err != nil {
			return err
		}
		end := time.Now()
		l.count(outcome, end, end.Sub(begin))
		if due = due.Add(l.pace); due.Before(end.Add(pause)) {
			due = end.Add(pause) // a late response delays the next requests
		}
	}
	return nil
}

func (l *load) count(outcome string, at time.Time, latency time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.current.latencies = append(l.current.latencies, latency)
	if l.current.Outcomes[outcome]++; outcome == ok && l.current.FirstOK.IsZero() {
		l.current.FirstOK = at
	}
}

// wait waits for a time, or until the context ends.
func wait(ctx context.Context, duration time.Duration) error {
	if duration <= 0 {
		return ctx.Err()
	}
	select {
	case <-time.After(duration):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s sample) requests() int { return len(s.latencies) }

// durations are sorted before percentile is called.
type durations []time.Duration

// percentile returns a percentile, or 0 without durations.
func (d durations) percentile(percent int) time.Duration {
	if len(d) == 0 {
		return 0
	}
	return d[min(len(d)*percent/100, len(d)-1)]
}

// median returns the middle value, or the mean of the two middle ones; 0 without values.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[len(sorted)/2] + sorted[(len(sorted)-1)/2]) / 2
}

// connection is a persistent connection of HTTP/1.1. It sends in the goroutine of its caller, which takes less
// processor time than net/http's client: clients and servers share the processors of the machine.
type connection struct {
	id      int // from 0, among the clients of a load
	address string
	conn    net.Conn // nil before the first request, and after an error or a Connection: close
	in      *bufio.Reader
	body    bytes.Buffer
}

func newConnection(id int, address string) *connection {
	return &connection{id: id, address: address, in: bufio.NewReaderSize(nil, 64<<10)}
}

// do sends a request and returns the status and the body of its response. The body is valid until the next request.
// When the context ends, the connection is closed.
func (c *connection) do(ctx context.Context, request []byte) (status int, body []byte, err error) {
	if c.conn == nil {
		if c.conn, err = new(net.Dialer).DialContext(ctx, "tcp4", c.address); err != nil {
			return 0, nil, err
		}
		c.in.Reset(c.conn)
	}
	conn := c.conn
	inTime := context.AfterFunc(ctx, func() { _ = conn.Close() })
	status, err = c.exchange(request)
	if !inTime() || err != nil {
		c.close()
	}
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return status, c.body.Bytes(), err
}

// exchange sends a request and reads its response.
func (c *connection) exchange(request []byte) (status int, err error) {
	_ = c.conn.SetDeadline(time.Now().Add(time.Minute)) // longer than the gateway takes for any response
	if _, err := c.conn.Write(request); err != nil {
		return 0, err
	}
	resp, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	c.body.Reset()
	_, err = c.body.ReadFrom(resp.Body)
	if resp.Close {
		c.close()
	}
	return resp.StatusCode, err
}

func (c *connection) close() {
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}

// operation is the body of a GraphQL request.
type operation struct {
	Query      string         `json:"query,omitempty"`
	Variables  map[string]any `json:"variables,omitempty"`
	Extensions map[string]any `json:"extensions,omitempty"`
}

// persisted returns the extension of a request that names or registers a document by its hash (APQ).
func persisted(document string) map[string]any {
	hash := fmt.Sprintf("%x", sha256.Sum256([]byte(document)))
	return map[string]any{"persistedQuery": map[string]any{"version": 1, "sha256Hash": hash}}
}

// post returns the bytes of a request. The headers are complete lines.
func post(target, token string, body operation, headers ...string) []byte {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // the variables are texts and numbers
	}
	return message(target, token, text, headers...)
}

// message returns a POST of JSON.
func message(target, token string, text []byte, headers ...string) []byte {
	head := fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: load\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n",
		target, token, len(text))
	for _, header := range headers {
		head = append(head, header+"\r\n"...)
	}
	return append(append(head, "\r\n"...), text...)
}
