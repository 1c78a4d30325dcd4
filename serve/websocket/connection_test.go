package websocket_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/gobwas/ws"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/internal/leaktest"
	"pixgraph/request"
	"pixgraph/serve/run"
	"pixgraph/serve/run/runtest"
	"pixgraph/serve/websocket"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// pipeWriter is a response writer whose connection is a pipe.
type pipeWriter struct {
	*httptest.ResponseRecorder
	conn net.Conn
}

func (w pipeWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return w.conn, bufio.NewReadWriter(bufio.NewReader(w.conn), bufio.NewWriter(w.conn)), nil
}

// anyCaller is a session that accepts every token.
type anyCaller struct{}

func (anyCaller) Authenticate(context.Context, []string) (time.Time, error)  { return time.Time{}, nil }
func (anyCaller) Begin(ctx context.Context) (context.Context, *request.Call) { return request.New(ctx) }
func (anyCaller) Verified() bool                                             { return true }
func (anyCaller) End()                                                       {}

// openPipe opens a WebSocket over a pipe, within synctest, and returns the client's end.
func openPipe(t *testing.T) net.Conn {
	t.Helper()
	return openPipeWith(t, runtest.Gateway{})
}

// openPipeWith is openPipe with a gateway.
func openPipeWith(t *testing.T, gateway run.Gateway) net.Conn {
	t.Helper()
	return openPipeTo(t, newTransport(t, gateway))
}

func newTransport(t *testing.T, gateway run.Gateway) *websocket.Transport {
	t.Helper()
	runner, err := run.New(gateway, run.Config{})
	if err != nil {
		t.Fatal(err)
	}
	sockets := websocket.New(runner, websocket.Config{
		Session: func(*request.Call, *http.Request) websocket.Session { return anyCaller{} }, Heartbeat: 15 * time.Second, Lifetime: time.Hour,
	})
	t.Cleanup(sockets.Close)
	return sockets
}

// openPipeTo is openPipeWith for one of several connections of a transport.
func openPipeTo(t *testing.T, sockets *websocket.Transport) net.Conn {
	t.Helper()
	client, server := net.Pipe()
	t.Cleanup(func() { _ = client.Close() })
	r := httptest.NewRequest(http.MethodGet, "/graphql", http.NoBody)
	r.Header = http.Header{
		"Upgrade": {"websocket"}, "Connection": {"keep-alive, Upgrade"}, "Sec-Websocket-Version": {"13"},
		"Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="}, "Sec-Websocket-Protocol": {"graphql-transport-ws"},
	}
	opened := make(chan struct{})
	go func() {
		defer close(opened)
		sockets.Serve(t.Context(), &request.Call{}, pipeWriter{httptest.NewRecorder(), server}, r)
	}()
	in := bufio.NewReader(client)
	response, err := http.ReadResponse(in, r)
	if err != nil || response.StatusCode != http.StatusSwitchingProtocols || in.Buffered() > 0 {
		t.Fatal(response, err)
	}
	<-opened
	return client
}

// readFrame reads a frame, and returns when it came, since start.
func readFrame(t *testing.T, conn net.Conn, start time.Time) (ws.Frame, time.Duration) {
	t.Helper()
	frame, err := ws.ReadFrame(conn)
	if err != nil {
		t.Fatal(err)
	}
	return frame, time.Since(start)
}

func wantCloseFrame(t *testing.T, conn net.Conn, start time.Time, code int, at time.Duration) {
	t.Helper()
	frame, after := readFrame(t, conn, start)
	got, reason := ws.ParseCloseFrameData(frame.Payload)
	if frame.Header.OpCode != ws.OpClose || int(got) != code || after != at {
		t.Errorf("%v %d %s after %s, want %d after %s", frame.Header.OpCode, got, reason, after, code, at)
	}
	if n, err := conn.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("%d bytes after the close frame, %v", n, err)
	}
}

// initialize sends connection_init and reads the ack.
func initialize(t *testing.T, conn net.Conn) {
	t.Helper()
	write(t, conn, ws.NewTextFrame([]byte(`{"type":"connection_init"}`)))
	if frame, _ := readFrame(t, conn, time.Now()); string(frame.Payload) != `{"type":"connection_ack"}` {
		t.Fatalf("%s", frame.Payload)
	}
}

func write(t *testing.T, conn net.Conn, frame ws.Frame) {
	t.Helper()
	if _, err := conn.Write(ws.MustCompileFrame(ws.MaskFrame(frame))); err != nil {
		t.Fatal(err)
	}
}

// TestWithoutInit: a connection without connection_init is closed after 5 s.
func TestWithoutInit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		wantCloseFrame(t, openPipe(t), start, 4408, 5*time.Second)
	})
}

// TestHeartbeats: a client that answers pings stays, until the lifetime is over; another one is closed.
func TestHeartbeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, start := openPipe(t), time.Now()
		initialize(t, conn)
		for i := range 10 {
			frame, after := readFrame(t, conn, start)
			if want := time.Duration(i+1) * 15 * time.Second; frame.Header.OpCode != ws.OpPing || after != want {
				t.Fatalf("%v after %s, want a ping after %s", frame.Header.OpCode, after, want)
			}
			write(t, conn, ws.NewPongFrame(frame.Payload))
		}
		start = time.Now()
		for range 2 {
			if frame, _ := readFrame(t, conn, start); frame.Header.OpCode != ws.OpPing {
				t.Fatalf("%v", frame.Header)
			}
		}
		wantCloseFrame(t, conn, start, 1001, 45*time.Second)
	})
}

// TestLives: a connection ends within its lifetime of an hour, less up to a tenth.
func TestLives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, start := openPipe(t), time.Now()
		initialize(t, conn)
		for {
			frame, after := readFrame(t, conn, start)
			if frame.Header.OpCode == ws.OpPing {
				write(t, conn, ws.NewPongFrame(frame.Payload))
				continue
			}
			code, _ := ws.ParseCloseFrameData(frame.Payload)
			if code != 1012 || after < 54*time.Minute || after > time.Hour {
				t.Errorf("%d after %s", code, after)
			}
			return
		}
	})
}

// TestSlowMessage: a message that does not arrive within 15 s ends the connection, however many fragments arrive.
func TestSlowMessage(t *testing.T) {
	for name, fragments := range map[string]bool{"bytes": false, "fragments": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn, start := openPipe(t), time.Now()
				initialize(t, conn)
				sent := make(chan struct{})
				go func() {
					defer close(sent)
					frame := ws.MustCompileFrame(ws.MaskFrame(ws.NewFrame(ws.OpText, !fragments, []byte(`{"type":"ping","payload":"x"}`))))
					for i := 0; ; i++ {
						part := frame
						switch {
						case !fragments:
							part = frame[i : i+1]
						case i > 0:
							part = ws.MustCompileFrame(ws.MaskFrame(ws.NewFrame(ws.OpContinuation, false, nil)))
						}
						if _, err := conn.Write(part); err != nil {
							return
						}
						time.Sleep(time.Second)
					}
				}()
				frame, after := readFrame(t, conn, start)
				if code, _ := ws.ParseCloseFrameData(frame.Payload); code != 1002 || after != 15*time.Second {
					t.Errorf("%v %d after %s", frame.Header.OpCode, code, after)
				}
				_ = conn.Close()
				<-sent
			})
		})
	}
}

// TestSlowReader: a client that does not read is disconnected when a write takes 5 s.
func TestSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, start := openPipe(t), time.Now()
		initialize(t, conn)
		write(t, conn, ws.NewPingFrame(nil)) // the pong is not read
		time.Sleep(5*time.Second + time.Millisecond)
		if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("%v after %s", err, time.Since(start))
		}
	})
}

// long is a gateway whose responses have 200 KiB.
type long struct{ runtest.Gateway }

func (long) Prepare(context.Context, *request.Call, *graphql.RawParams) (*graphql.OperationContext, gqlerror.List) {
	return &graphql.OperationContext{}, gqlerror.List{{Message: strings.Repeat("x", 200<<10)}}
}

func (long) Reject(_ context.Context, _ *request.Call, _ *graphql.OperationContext, reasons gqlerror.List) *graphql.Response {
	return &graphql.Response{Errors: reasons}
}

// TestSlowNetwork: a client has a second for each 8 KiB of a response, in addition to those 5 s.
func TestSlowNetwork(t *testing.T) {
	for pause, want := range map[time.Duration]int{100 * time.Millisecond: 200 << 10, time.Second: 30 << 10} {
		synctest.Test(t, func(t *testing.T) {
			conn := openPipeWith(t, long{})
			initialize(t, conn)
			write(t, conn, message(`{"type":"subscribe","id":"1","payload":{"query":"{a}"}}`))
			read, err := 0, error(nil)
			for read < 200<<10 && err == nil {
				time.Sleep(pause)
				var n int
				n, err = io.ReadFull(conn, make([]byte, 1<<10))
				read += n
			}
			if read < want || read > want+1<<10 {
				t.Errorf("%d bytes by 1 KiB every %s, want %d: %v", read, pause, want, err)
			}
		})
	}
}
