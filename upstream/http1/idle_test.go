package http1_test

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pixgraph/upstream/http1"
)

// steps is a server that responds on a connection, and then waits for the test before it does something on the idle
// connection.
type steps struct {
	*server
	next, done chan struct{}
}

// serveSteps responds to each request, and calls idle after the first one when the test calls step.
func serveSteps(t *testing.T, begin, idle func(*peer)) *steps {
	t.Helper()
	s := &steps{next: make(chan struct{}), done: make(chan struct{})}
	s.server = serve(t, func(p *peer) {
		begin(p)
		for n := 0; p.request(); n++ {
			p.write(ok("{}"))
			if p.number == 1 && n == 0 {
				<-s.next
				idle(p)
				close(s.done)
			}
		}
	})
	return s
}

// step calls idle and returns after it. Over loopback the client's socket then has what the server sent.
func (s *steps) step() {
	close(s.next)
	<-s.done
}

// TestIdleConnectionsAreChecked: bytes received over an idle connection, or its end, prevent its reuse: no request is
// sent over it, so none is lost or sent twice, and the bytes are never taken for a response.
func TestIdleConnectionsAreChecked(t *testing.T) {
	const unasked = `{"of":"another caller"}`
	tests := []struct {
		name string
		idle func(*peer)
		kept bool
	}{
		{"silence", func(*peer) {}, true},
		{"its end", func(p *peer) { _ = p.Close() }, false},
		{"a response", func(p *peer) { p.write(ok(unasked)) }, false},
		{"a 408 and its end", func(p *peer) { p.write("HTTP/1.1 408 X\r\nConnection: close\r\n\r\n"); _ = p.Close() }, false},
		{"one byte", func(p *peer) { p.write("H") }, false},
	}
	config, known := authority(t)
	check := func(name string, kept bool, begin, idle func(*peer), change func(*http1.Config)) {
		t.Run(name, func(t *testing.T) {
			s := serveSteps(t, begin, idle)
			host := newHost(t, s.server, change)
			if _, err := get(host); err != nil {
				t.Fatal(err)
			}
			s.step()
			answer, err := get(host)
			if err != nil || string(answer.Body) != "{}" || answer.Attempts != 1 {
				t.Errorf("%q after %d attempts, error %v", answer.Body, answer.Attempts, err)
			}
			if got, want := s.connections.Load(), map[bool]int32{true: 1, false: 2}[kept]; got != want {
				t.Errorf("%d connections, want %d", got, want)
			}
			if got := s.requests.Load(); got != 2 {
				t.Errorf("%d requests, want 2", got)
			}
		})
	}
	for _, tt := range tests {
		check(tt.name, tt.kept, func(*peer) {}, tt.idle, func(*http1.Config) {})
		check(tt.name+", over TLS", tt.kept, func(p *peer) { p.speakTLS(config) }, tt.idle, known)
	}
}

// TestLateBytesReachNoOtherCaller: bytes that a server sends shortly after a response, when nobody can tell them from
// the next one, do not reach the call of another token: for a while, its calls use other connections. The server sends
// them when the next request has arrived, so that no check can find them.
func TestLateBytesReachNoOtherCaller(t *testing.T) {
	const settleTime = 10 * time.Millisecond
	tests := []struct {
		name, token string
		after       time.Duration // the first response
		limit       int           // of idle connections
		connections int32
	}{
		{"the same token", "a", 0, 10, 1},
		{"another token", "b", 0, 10, 2},
		{"another token, later", "b", settleTime - 1, 10, 2},
		{"another token after the connection was silent", "b", settleTime, 10, 1},
		{"another token, while no more connections may be opened", "b", 0, 1, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			now := &clock{}
			s := serve(t, func(p *peer) {
				for p.request() {
					if p.number == 1 && p.server.requests.Load() > 1 {
						p.write(ok("late"))
					}
					p.write(ok("{}"))
				}
			})
			host := newHost(t, s, now.use, func(c *http1.Config) { c.MaxIdle = tt.limit })
			with := func(token string) func(*http1.Request) { return func(r *http1.Request) { r.Bearer = token } }
			if _, err := get(host, with("a")); err != nil {
				t.Fatal(err)
			}
			now.advance(tt.after)
			answer, err := get(host, with(tt.token))
			if err != nil || s.connections.Load() != tt.connections {
				t.Errorf("%d connections, want %d; error %v", s.connections.Load(), tt.connections, err)
			}
			if late := string(answer.Body) == "late"; late != (tt.connections == 1) {
				t.Errorf("the response is %q", answer.Body)
			}
		})
	}
}

// TestRequestIsResentOnlyWithoutResponse: if a reused connection ends before a byte of the response was received, the
// request is sent once more over a new connection. It is not sent again after a byte was received, or over a new
// connection.
func TestRequestIsResentOnlyWithoutResponse(t *testing.T) {
	tests := []struct {
		name               string
		answer             string // to a connection's second request, before the connection ends
		fresh              bool   // whether new connections respond
		requests, attempts int
		err                error
	}{
		{"nothing", "", true, 3, 2, nil},
		{"nothing, and nothing on the new connection", "", false, 3, 2, io.ErrUnexpectedEOF},
		{"one byte", "H", true, 2, 1, io.ErrUnexpectedEOF},
		{"half a response", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{", true, 2, 1, io.ErrUnexpectedEOF},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, func(p *peer) {
				if p.request() && (p.number == 1 || tt.fresh) {
					p.write(ok("{}"))
					if p.request() {
						p.write(tt.answer)
					}
				}
			})
			host := newHost(t, s)
			if _, err := get(host); err != nil {
				t.Fatal(err)
			}
			answer, err := get(host)
			if !errors.Is(err, tt.err) || answer.Attempts != tt.attempts {
				t.Errorf("%d attempts, error %v; want %d, %v", answer.Attempts, err, tt.attempts, tt.err)
			}
			if got := int(s.requests.Load()); got != tt.requests {
				t.Errorf("%d requests, want %d", got, tt.requests)
			}
		})
	}
}

// TestRequestIsNotResentAfterDeadline: after the deadline or the end of the context the request is not sent again,
// because the server has received it.
func TestRequestIsNotResentAfterDeadline(t *testing.T) {
	tests := []struct {
		name string
		get  func(context.Context, *http1.Host) (http1.Answer, error)
		want error
	}{
		{"the deadline", func(_ context.Context, host *http1.Host) (http1.Answer, error) { return get(host, soon) }, os.ErrDeadlineExceeded},
		{"the context", func(ctx context.Context, host *http1.Host) (http1.Answer, error) {
			return host.Get(ctx, http1.Request{Target: "/", Deadline: time.Now().Add(timeout)})
		}, nil},
	}
	for _, tt := range tests {
		bubble(t, tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			s := serveInMemory(t, func(p *peer) {
				if p.request() {
					p.write(ok("{}"))
					if p.request() && tt.want == nil {
						cancel()
					}
					p.gone()
				}
			})
			host := newHost(t, s)
			if _, err := get(host); err != nil {
				t.Fatal(err)
			}
			answer, err := tt.get(ctx, host)
			if err == nil || tt.want != nil && !errors.Is(err, tt.want) || answer.Attempts != 1 || s.connections.Load() != 1 {
				t.Errorf("%d attempts over %d connections, error %v", answer.Attempts, s.connections.Load(), err)
			}
		})
	}
}

// TestDeadConnectionClosesTheOthers: when one idle connection turns out to be dead, the others are closed.
func TestDeadConnectionClosesTheOthers(t *testing.T) {
	const calls = 5
	var closing atomic.Bool
	_, host := together(t, calls, func(p *peer) bool { return closing.Load() && p.number <= calls })
	closing.Store(true)
	answer, err := get(host)
	if err != nil || answer.Attempts != 2 || host.Idle() != 1 {
		t.Errorf("%d attempts, %d idle, error %v", answer.Attempts, host.Idle(), err)
	}
}

// TestEndedCallSendsNothing: a call whose context has ended, or whose deadline is in the past, sends nothing, and is no
// evidence about the idle connections.
func TestEndedCallSendsNothing(t *testing.T) {
	const calls = 5
	s, host := together(t, calls, respond)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, tt := range []struct {
		ctx      context.Context
		deadline time.Time
		want     error
	}{
		{ended, time.Now().Add(timeout), context.Canceled},
		{context.Background(), time.Now().Add(-time.Second), os.ErrDeadlineExceeded},
	} {
		answer, err := host.Get(tt.ctx, http1.Request{Target: "/", Deadline: tt.deadline})
		if !errors.Is(err, tt.want) || answer.Attempts != 0 || host.Idle() != calls || s.requests.Load() != calls {
			t.Errorf("error %v, want %v; %d attempts, %d idle", err, tt.want, answer.Attempts, host.Idle())
		}
	}
}

// respond lets the server of together respond to each request.
func respond(*peer) bool { return false }

// together makes concurrent requests: the server responds when all have arrived. It closes a connection instead of
// responding if ends reports true for its request.
func together(t *testing.T, calls int, ends func(*peer) bool, changes ...func(*http1.Config)) (*server, *http1.Host) {
	t.Helper()
	var arrived sync.WaitGroup
	arrived.Add(calls)
	s := serveInMemory(t, func(p *peer) {
		for first := true; p.request(); first = false {
			if first && p.number <= calls {
				arrived.Done()
				arrived.Wait()
			}
			if ends(p) {
				return
			}
			p.write(ok("{}"))
		}
	})
	host := newHost(t, s, changes...)
	var group sync.WaitGroup
	for range calls {
		group.Go(func() {
			if _, err := get(host); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	return s, host
}

func TestIdleLimit(t *testing.T) {
	for _, tt := range []struct{ calls, limit, want int }{{3, 10, 3}, {3, 3, 3}, {5, 2, 2}, {2, 0, 0}} {
		s, host := together(t, tt.calls, respond, func(c *http1.Config) { c.MaxIdle = tt.limit })
		if host.Idle() != tt.want {
			t.Errorf("%d of %d connections are kept, want %d", host.Idle(), tt.calls, tt.want)
		}
		if tt.want > 0 {
			if _, err := get(host); err != nil || host.Idle() != tt.want || int(s.connections.Load()) != tt.calls {
				t.Errorf("a call after them: %v, %d idle, %d connections", err, host.Idle(), s.connections.Load())
			}
		}
		host.CloseIdle()
		if host.Idle() != 0 {
			t.Errorf("%d idle connections after CloseIdle", host.Idle())
		}
	}
}

// TestIdleTime: an idle connection is closed after the idle time. A connection that is used in the meantime is not.
func TestIdleTime(t *testing.T) {
	const age = 200 * time.Millisecond
	s, host := together(t, 2, respond, func(c *http1.Config) { c.IdleTime = age })
	pace := time.NewTicker(age / 8)
	defer pace.Stop()
	var used time.Time
	for n := 0; host.Idle() == 2; n++ {
		if n > 1000 {
			t.Fatal("the unused connection is not closed")
		}
		used = time.Now()
		if _, err := get(host); err != nil {
			t.Fatal(err)
		}
		<-pace.C
	}
	if since := time.Since(used); (host.Idle() != 1 || s.connections.Load() != 2) && since < age {
		t.Fatalf("%d idle of %d connections %v after the last use", host.Idle(), s.connections.Load(), since)
	}
	for start := time.Now(); host.Idle() > 0; {
		if time.Since(start) > timeout {
			t.Fatal("the last connection is not closed")
		}
	}
	if idle := time.Since(used); idle < age {
		t.Errorf("the last connection was closed after %v", idle)
	}
	if _, err := get(host); err != nil || host.Idle() != 1 {
		t.Errorf("a call after them: %v, %d idle", err, host.Idle())
	}
}

// TestContextEndDoesNotAffectNextCall: a context that ends at the same time as its exchange must not affect the next
// call on the connection.
func TestContextEndDoesNotAffectNextCall(t *testing.T) {
	ends := make(chan context.CancelFunc, 1)
	s := serve(t, func(p *peer) {
		for p.request() {
			p.write(ok("{}"))
			select {
			case end := <-ends:
				end()
			default:
			}
		}
	})
	host := newHost(t, s)
	for range 2000 {
		ctx, cancel := context.WithCancel(context.Background())
		ends <- cancel
		_, _ = host.Get(ctx, http1.Request{Target: "/", MaxBody: 9, Deadline: time.Now().Add(timeout)})
		if answer, err := get(host); err != nil || string(answer.Body) != "{}" {
			t.Fatalf("%q, error %v", answer.Body, err)
		}
		cancel()
	}
}

// TestDeadlineBetweenChecks: a deadline that ends while an idle connection is taken is no evidence about that
// connection.
func TestDeadlineBetweenChecks(t *testing.T) {
	s := serve(t, func(p *peer) {
		for p.request() {
			p.write(ok("{}"))
		}
	})
	host := newHost(t, s)
	if _, err := get(host); err != nil || !host.TakeIdle(time.Now().Add(-time.Second)) {
		t.Errorf("no idle connection, error %v", err)
	}
}
