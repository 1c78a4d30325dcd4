package nethttp_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pixgraph/internal/certs/certstest"
	"pixgraph/internal/leaktest"
	"pixgraph/internal/memnet"
	"pixgraph/upstream/http1"
	"pixgraph/upstream/nethttp"
)

// The tests of HTTP/2. Those of HTTP/1.1 are the ones of package http1.

func TestMain(m *testing.M) { leaktest.Main(m) }

// timeout is the deadline of requests that get a response.
const timeout = 2 * time.Minute

// network connects hosts to servers.
var network memnet.Network

// acceptEach handles each connection to a listener in a goroutine, until it is closed, and waits for them.
func acceptEach(listener net.Listener, handle func(net.Conn)) {
	var group sync.WaitGroup
	defer group.Wait()
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		group.Go(func() { handle(conn) })
	}
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := network.Listen()
	must(t, err)
	return listener
}

// server is a server that speaks HTTP/2 only.
type server struct {
	*httptest.Server
	connections, closed atomic.Int32
}

func serve(t *testing.T, handler http.HandlerFunc, changes ...func(*httptest.Server)) *server {
	t.Helper()
	s := &server{Server: &httptest.Server{Listener: listen(t), Config: &http.Server{Handler: handler}}}
	pair := certstest.New(t, "ca").Issue(t, 24*time.Hour)
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			s.connections.Add(1)
		case http.StateClosed:
			s.closed.Add(1)
		}
	}
	s.EnableHTTP2 = true
	s.TLS = &tls.Config{Certificates: []tls.Certificate{pair.TLS(t)}}
	s.TLS.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		if s.EnableHTTP2 && !slices.Contains(hello.SupportedProtos, "h2") { // httptest adds HTTP/1.1
			return nil, errors.New("HTTP/2 only")
		}
		config := s.TLS.Clone()
		config.GetConfigForClient = nil
		return config, nil
	}
	for _, change := range changes {
		change(s.Server)
	}
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// host returns a client that trusts every certificate, and dials as the configuration says.
func host(t *testing.T, s *server, changes ...func(*http1.Config)) *nethttp.Host {
	t.Helper()
	base, err := url.Parse(s.URL)
	must(t, err)
	config := http1.Config{URL: base, MaxIdle: 10, Dial: network.DialContext}
	for _, change := range changes {
		change(&config)
	}
	transport := &http.Transport{
		Protocols: new(http.Protocols), DisableCompression: true, MaxResponseHeaderBytes: 64 << 10, DialContext: config.Dial,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		HTTP2:           &http.HTTP2Config{SendPingTimeout: 100 * time.Millisecond, PingTimeout: 5 * time.Second},
	}
	transport.Protocols.SetHTTP1(true)
	transport.Protocols.SetHTTP2(true)
	if config.TLS == nil {
		config.TLS = func() *tls.Config { return transport.TLSClientConfig }
	}
	h, err := nethttp.New(config, transport.Clone)
	must(t, err)
	t.Cleanup(h.CloseIdle)
	return h
}

func get(h *nethttp.Host, target string) (http1.Answer, error) {
	return h.Get(context.Background(), http1.Request{Target: target, Bearer: "token-of-" + target, Deadline: time.Now().Add(timeout), MaxBody: 1 << 20})
}

func respond(w http.ResponseWriter, r *http.Request) {
	if r.ProtoMajor != 2 {
		w.WriteHeader(http.StatusHTTPVersionNotSupported)
	}
	_, _ = io.WriteString(w, r.URL.RequestURI()+" "+r.Header.Get("Authorization"))
}

func want(t *testing.T, target string, answer http1.Answer, err error) {
	t.Helper()
	if text := target + " Bearer token-of-" + target; err != nil || answer.Status != 200 || string(answer.Body) != text || answer.Attempts != 1 {
		t.Errorf("%d %q after %d attempts, error %v; want %q", answer.Status, answer.Body, answer.Attempts, err, text)
	}
}

// wantGet makes a request, which must succeed.
func wantGet(t *testing.T, h *nethttp.Host, target string) {
	t.Helper()
	answer, err := get(h, target)
	want(t, target, answer, err)
}

// TestOneConnection: concurrent requests share one connection from the first on, each gets its own response, and errors
// of single requests do not end it.
func TestOneConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const calls = 40
		var arrived sync.WaitGroup
		arrived.Add(calls)
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/large":
				_, _ = w.Write(make([]byte, 2<<20))
			case "/reset":
				panic(http.ErrAbortHandler)
			case "/missing":
				w.WriteHeader(http.StatusNotFound)
				_, _ = w.Write(make([]byte, 100<<10))
			default:
				arrived.Done()
				arrived.Wait()
				respond(w, r)
			}
		})
		h := host(t, s)
		var group sync.WaitGroup
		for i := range calls {
			group.Go(func() {
				target := fmt.Sprintf("/a%%2Fb/%d?c=d+e", i)
				wantGet(t, h, target)
			})
		}
		group.Wait()
		arrived.Add(1)
		if _, err := get(h, "/large"); !errors.Is(err, http1.ErrTooLarge) {
			t.Errorf("a body above the limit: %v", err)
		}
		if answer, err := get(h, "/reset"); err == nil || answer.Attempts != 1 {
			t.Errorf("a stream that is reset: %v after %d attempts", err, answer.Attempts)
		}
		if answer, err := get(h, "/missing"); err != nil || answer.Status != 404 {
			t.Errorf("%d, error %v", answer.Status, err)
		}
		wantGet(t, h, "/last")
		if got := s.connections.Load(); got != 1 || h.Idle() != 1 {
			t.Errorf("%d connections, %d idle, want 1", got, h.Idle())
		}
	})
}

// TestMaxConcurrentStreams: more requests than one connection allows use more connections; none waits for the others.
func TestMaxConcurrentStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const calls, limit = 10, 4
		var arrived sync.WaitGroup
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/first" {
				arrived.Done()
				arrived.Wait()
			}
			respond(w, r)
		}, func(s *httptest.Server) { s.Config.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: limit} })
		h := host(t, s)
		wantGet(t, h, "/first") // its connection knows the limit
		arrived.Add(calls)
		var group sync.WaitGroup
		for i := range calls {
			group.Go(func() {
				target := fmt.Sprint("/", i)
				wantGet(t, h, target)
			})
		}
		group.Wait()
		if got := s.connections.Load(); got < (calls+limit-1)/limit || got > calls {
			t.Errorf("%d connections", got)
		}
	})
}

// TestDeadlineEndsOneStream: a timeout and a cancelled request end their stream only.
func TestDeadlineEndsOneStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hanging := make(chan struct{}, 2)
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/hang" {
				hanging <- struct{}{}
				<-r.Context().Done()
				return
			}
			respond(w, r)
		})
		h := host(t, s)
		wantGet(t, h, "/first")
		request := http1.Request{Target: "/hang", Deadline: time.Now().Add(timeout), SilenceLimit: 1}
		go func() {
			<-hanging
			time.Sleep(time.Second)
			answer, err := get(h, "/meanwhile") // so the connection is not silent
			want(t, "/meanwhile", answer, err)
		}()
		if answer, err := h.Get(context.Background(), request); !errors.Is(err, os.ErrDeadlineExceeded) || answer.Attempts != 1 {
			t.Errorf("error %v after %d attempts", err, answer.Attempts)
		}
		ctx, cancel := context.WithCancel(context.Background())
		go func() { <-hanging; cancel() }()
		request.Deadline = time.Now().Add(timeout)
		if answer, err := h.Get(ctx, request); !errors.Is(err, context.Canceled) || answer.Attempts != 1 {
			t.Errorf("error %v after %d attempts", err, answer.Attempts)
		}
		wantGet(t, h, "/last")
		if got := s.connections.Load(); got != 1 {
			t.Errorf("%d connections, want 1", got)
		}
	})
}

// TestMaximumAge: a shared connection gets no requests after its maximum age, and is closed after its last one.
func TestMaximumAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold, held := make(chan struct{}), make(chan struct{})
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/held" {
				close(held)
				<-hold
			}
			respond(w, r)
		})
		h := host(t, s, func(c *http1.Config) {
			c.MaxAge, c.Random = time.Minute, func() float64 { return 0 }
		})
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			wantGet(t, h, "/held")
		}()
		<-held
		time.Sleep(time.Minute - 1)
		wantGet(t, h, "/young")
		if got := s.connections.Load(); got != 1 {
			t.Errorf("%d connections before the maximum age", got)
		}
		time.Sleep(time.Nanosecond)
		wantGet(t, h, "/old")
		if got := s.connections.Load(); got != 2 {
			t.Errorf("%d connections after the maximum age", got)
		}
		close(hold)
		<-ended
		synctest.Wait()
		if got := h.Idle(); got != 1 || s.closed.Load() != 1 {
			t.Errorf("%d idle connections, %d closed, want the new one and the old one", got, s.closed.Load())
		}
	})
}

// TestIdleTime: a connection is closed when it had no request for the idle time.
func TestIdleTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, respond)
		h := host(t, s, func(c *http1.Config) { c.IdleTime = time.Minute })
		for i, pause := range []time.Duration{time.Minute - 1, time.Minute, 0} {
			wantGet(t, h, "/")
			time.Sleep(pause)
			synctest.Wait()
			if closed := s.closed.Load(); closed != int32(min(i, 1)) {
				t.Errorf("%d connections are closed after %v without a request", closed, pause)
			}
		}
		if made := s.connections.Load(); made != 2 || h.Idle() != 1 {
			t.Errorf("%d connections were made, %d are kept", made, h.Idle())
		}
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
