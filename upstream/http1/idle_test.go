package http1_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/upstream/http1"
)

// TestIdleConnectionsAreChecked: bytes received over an idle connection, or its end, prevent its reuse: no request is
// sent over it, so none is lost or sent twice, and the bytes are never taken for a response.
func TestIdleConnectionsAreChecked(t *testing.T) {
	const unasked = `{"of":"another caller"}`
	for _, tt := range []struct {
		name string
		idle func(*peer) // what the server does after a response
		kept bool
	}{
		{"silence", func(*peer) {}, true},
		{"its end", func(p *peer) { _ = p.Close() }, false},
		{"a response", func(p *peer) { p.write(ok(unasked)) }, false},
		{"a 408 and its end", func(p *peer) { p.write("HTTP/1.1 408 X\r\nConnection: close\r\n\r\n"); _ = p.Close() }, false},
		{"one byte", func(p *peer) { p.write("H") }, false},
	} {
		for _, secure := range []bool{false, true} {
			bubble(t, tt.name+map[bool]string{true: ", over TLS"}[secure], func(t *testing.T) {
				config, known := authority(t)
				if !secure {
					known = func(*http1.Config) {}
				}
				s := serve(t, func(p *peer) {
					if secure {
						p.speakTLS(config)
					}
					for n := 0; p.request(); n++ {
						p.write(ok("{}"))
						if p.number == 1 && n == 0 {
							time.Sleep(time.Second)
							tt.idle(p)
						}
					}
				})
				host := newHost(t, s, known)
				mustGet(t, host)
				time.Sleep(time.Minute)
				checkReuse(t, host, s, tt.kept)
			})
		}
	}
}

// checkReuse makes the second request, and checks whether it uses the connection of the first one.
func checkReuse(t *testing.T, host *http1.Host, s *server, kept bool) {
	t.Helper()
	answer, err := get(host)
	if err != nil || string(answer.Body) != "{}" || answer.Attempts != 1 {
		t.Errorf("%q after %d attempts, error %v", answer.Body, answer.Attempts, err)
	}
	s.wantConnections(t, kept)
	if got := s.requests.Load(); got != 2 {
		t.Errorf("%d requests, want 2", got)
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
		bubble(t, tt.name, func(t *testing.T) {
			s := serve(t, func(p *peer) {
				for p.request() {
					if p.number == 1 && p.server.requests.Load() > 1 {
						p.write(ok("late"))
					}
					p.write(ok("{}"))
				}
			})
			host := newHost(t, s, func(c *http1.Config) { c.MaxIdle = tt.limit })
			with := func(token string) func(*http1.Request) { return func(r *http1.Request) { r.Bearer = token } }
			mustGet(t, host, with("a"))
			time.Sleep(tt.after)
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

// respond lets the server of together respond to each request.
func respond(*peer) bool { return false }

// together makes concurrent requests: the server responds when all have arrived. It closes a connection instead of
// responding if ends reports true for its request.
func together(t *testing.T, calls int, ends func(*peer) bool, changes ...func(*http1.Config)) (*server, *http1.Host) {
	t.Helper()
	var arrived sync.WaitGroup
	arrived.Add(calls)
	s := serve(t, func(p *peer) {
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
	synctest.Test(t, func(t *testing.T) {
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
	})
}

// TestIdleTime: an idle connection is closed after the idle time. A connection that is used in the meantime is not.
func TestIdleTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const age = 8 * time.Second
		s, host := together(t, 2, respond, func(c *http1.Config) { c.IdleTime = age })
		for n := range 16 {
			if want := map[bool]int{true: 2, false: 1}[n < 8]; host.Idle() != want {
				t.Errorf("%d idle connections after %d s, want %d", host.Idle(), n, want)
			}
			if _, err := get(host); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Second)
			synctest.Wait() // until the sweeper has run
		}
		for _, tt := range []struct {
			after time.Duration
			want  int
		}{{age - time.Second - 1, 1}, {1, 0}} {
			time.Sleep(tt.after)
			if synctest.Wait(); host.Idle() != tt.want {
				t.Errorf("%d idle connections, want %d", host.Idle(), tt.want)
			}
		}
		if _, err := get(host); err != nil || host.Idle() != 1 || s.connections.Load() != 3 {
			t.Errorf("a call after them: %v, %d idle, %d connections", err, host.Idle(), s.connections.Load())
		}
	})
}

// TestContextEndDoesNotAffectNextCall: a context that ends at the same time as its exchange must not affect the next
// call on the connection.
func TestContextEndDoesNotAffectNextCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
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
	})
}

// TestDeadlineBetweenChecks: a deadline that ends while an idle connection is taken is no evidence about that
// connection.
func TestDeadlineBetweenChecks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, (*peer).echo)
		host := newHost(t, s)
		if _, err := get(host); err != nil || !host.TakeIdle(time.Now().Add(-time.Second)) {
			t.Errorf("no idle connection, error %v", err)
		}
	})
}
