package hostile

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"pixgraph/test/gatewaytest"
)

// drain stops a gateway with SIGTERM under 2,000 streams, half of them by WebSocket. They end during shutdown_delay, in
// a way after which their clients come back, and the process exits with status 0.
func drain(t *testing.T, binary string) {
	const each, delay = 1000, 3 * time.Second
	box := gatewaytest.NewSandbox(t)
	p := launch(t, binary, releaseEnviron(), gatewaytest.Flags(box, "--limits-memory=384MiB", "--shutdown-delay="+delay.String())...)
	token, payload := box.Token(), fmt.Sprintf(`{"query":"subscription Drained { transaction(id: \"%s\") { status } }"}`, box.Samples().OpenTransaction)
	ends := make(chan string, 2*each)
	for range each {
		events := p.subscribeSSE(t, token, payload)
		go func() {
			rest, err := io.ReadAll(events)
			ends <- fmt.Sprintf("sse %q %v", rest[max(0, len(rest)-100):], err)
		}()
		conn := openWebSocket(t, ws.Dialer{}, "ws://"+p.Address, token, payload)
		go func() { ends <- "websocket " + closeOf(conn) }()
	}
	p.wantStopped(t)
	counts := map[string]int{}
	for range 2 * each {
		end := <-ends
		switch {
		case strings.HasPrefix(end, "sse ") && !strings.Contains(end, "complete") && !strings.Contains(end, `\r\n0\r\n`) && strings.HasSuffix(end, "<nil>"):
			counts["sse"]++
		case end == "websocket 1012":
			counts["websocket"]++
		default:
			t.Errorf("a stream ended with %s", end)
		}
	}
	if counts["sse"] != each || counts["websocket"] != each {
		t.Errorf("%v", counts)
	}
	first, last, n := endsIn(t, p.log.String())
	if n < 100 || n > 2*each || last.Sub(first) < delay/3 { // a caller has 100 lines in a second
		t.Errorf("%d streams ended within %s", n, last.Sub(first))
	}
}

// endsIn returns the times of the first and the last stream that drain ended, and their number.
func endsIn(t *testing.T, log string) (first, last time.Time, n int) {
	t.Helper()
	for line := range strings.Lines(log) {
		var entry struct {
			Time              time.Time
			Msg, Name, Reason string
		}
		if json.Unmarshal([]byte(line), &entry) != nil || entry.Msg != "stream" {
			continue
		}
		if entry.Name != "Drained" || entry.Reason != "drain" && entry.Reason != "client" {
			t.Errorf("%s", line)
		}
		if n++; n == 1 {
			first = entry.Time
		}
		last = entry.Time
	}
	return first, last, n
}

// subscribeSSE begins a stream, and returns what follows its first event.
func (l *launched) subscribeSSE(t *testing.T, token, payload string) io.Reader {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", l.Address)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	must(t, conn.SetDeadline(time.Now().Add(timeout)))
	_, err = fmt.Fprintf(conn, "POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nAccept: text/event-stream\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", token, len(payload), payload)
	must(t, err)
	in := bufio.NewReaderSize(conn, 512)
	for line := ""; !strings.Contains(line, "SNAPSHOT"); {
		line, err = in.ReadString('\n')
		must(t, err)
	}
	return in
}

// openWebSocket begins a stream, and returns what follows its first event.
func openWebSocket(t *testing.T, dialer ws.Dialer, url, token, payload string) io.ReadWriter {
	t.Helper()
	dialer.Protocols = []string{"graphql-transport-ws"}
	conn, _, _, err := dialer.Dial(t.Context(), url+"/graphql")
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	must(t, conn.SetDeadline(time.Now().Add(timeout)))
	for _, text := range []string{
		`{"type":"connection_init","payload":{"Authorization":"Bearer ` + token + `"}}`, `{"type":"subscribe","id":"1","payload":` + payload + `}`,
	} {
		must(t, ws.WriteFrame(conn, ws.MaskFrame(ws.NewTextFrame([]byte(text)))))
		frame, err := ws.ReadFrame(conn) // the ack, then the first event
		must(t, err)
		if frame.Header.OpCode != ws.OpText {
			t.Fatalf("%d %s", frame.Header.OpCode, frame.Payload)
		}
	}
	return conn
}

// closeOf answers pings until the close frame, and returns its code.
func closeOf(conn io.ReadWriter) string {
	for {
		frame, err := ws.ReadFrame(conn)
		if err != nil {
			return err.Error()
		}
		switch frame.Header.OpCode {
		case ws.OpPing:
			_ = ws.WriteFrame(conn, ws.MaskFrame(ws.NewPongFrame(frame.Payload)))
		case ws.OpClose:
			code, _ := ws.ParseCloseFrameData(frame.Payload)
			_ = ws.WriteFrame(conn, ws.MaskFrame(ws.NewCloseFrame(frame.Payload)))
			return fmt.Sprint(code)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
