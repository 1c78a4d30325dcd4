package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/gobwas/ws"
)

// stream is the client of a subscription. It ends with its context.
type stream struct {
	next  func() (event []byte, err error) // valid until the next call
	close func()
}

// accepts are the media types of the protocols over HTTP.
func accepts() map[string]string {
	return map[string]string{"sse": "text/event-stream", "multipart": `multipart/mixed;subscriptionSpec="1.0"`}
}

// eventSize bounds the size of an event in bytes.
const eventSize = 2 << 10

// openStream begins a subscription over a connection of its own.
func openStream(ctx context.Context, protocol, address, token string, subscription operation) (*stream, error) {
	dial, subscribe := new(net.Dialer).DialContext, func(conn net.Conn) (func() ([]byte, error), error) {
		body, _, err := send(conn, post("/graphql", token, subscription, "Accept: "+accepts()[protocol]))
		if err != nil {
			return nil, err
		}
		lines := bufio.NewReaderSize(body, eventSize) // in both protocols an event is one line
		return func() ([]byte, error) { return nextLine(lines) }, nil
	}
	if protocol == "websocket" {
		dial, subscribe = dialSocket, func(conn net.Conn) (func() ([]byte, error), error) {
			return subscribeOver(conn, token, subscription)
		}
	}
	conn, err := dial(ctx, "tcp4", address)
	if err != nil {
		return nil, err
	}
	forget := context.AfterFunc(ctx, func() { _ = conn.Close() })
	s := &stream{close: func() {
		forget()
		_ = conn.Close()
	}}
	if s.next, err = subscribe(conn); err != nil {
		s.close()
	}
	return s, err
}

// send sends a request and reads the head of its response. The body ends with the connection, and then the trailer is
// filled in.
func send(conn net.Conn, request []byte) (body io.Reader, trailer http.Header, err error) {
	_ = conn.SetDeadline(time.Now().Add(time.Minute)) // longer than the gateway takes for any response
	if _, err := conn.Write(request); err != nil {
		return nil, nil, err
	}
	resp, err := http.ReadResponse(bufio.NewReaderSize(conn, eventSize), nil)
	if err != nil {
		return nil, nil, err
	}
	if resp.StatusCode != http.StatusOK {
		_ = conn.Close() // Body.Close reads to the end
		_ = resp.Body.Close()
		return nil, nil, fmt.Errorf("status %d", resp.StatusCode)
	}
	return resp.Body, resp.Trailer, conn.SetDeadline(time.Time{})
}

// nextLine reads lines until one has an event.
func nextLine(lines *bufio.Reader) ([]byte, error) {
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil || bytes.Contains(line, []byte(`"live":{`)) {
			return line, err
		}
	}
}

// dialSocket opens a WebSocket (graphql-transport-ws). The gateway sends nothing before connection_init.
func dialSocket(ctx context.Context, _, address string) (net.Conn, error) {
	conn, early, _, err := ws.Dialer{Protocols: []string{"graphql-transport-ws"}}.Dial(ctx, "ws://"+address+"/graphql")
	if early != nil {
		ws.PutReader(early)
	}
	return conn, err
}

func writeMessage(conn net.Conn, message []byte) error {
	return ws.WriteFrame(conn, ws.MaskFrame(ws.NewTextFrame(message)))
}

// subscribeOver begins a subscription over a WebSocket.
func subscribeOver(conn net.Conn, token string, subscription operation) (next func() ([]byte, error), err error) {
	payload, _ := json.Marshal(subscription)
	for _, message := range []string{
		`{"type":"connection_init","payload":{"Authorization":"Bearer ` + token + `"}}`,
		`{"type":"subscribe","id":"1","payload":` + string(payload) + `}`,
	} {
		if err := writeMessage(conn, []byte(message)); err != nil {
			return nil, err
		}
	}
	frames, buffer := bufio.NewReaderSize(conn, eventSize), make([]byte, eventSize)
	return func() ([]byte, error) { return nextFrame(conn, frames, buffer) }, nil
}

// nextFrame reads frames until one has an event. It answers pings.
func nextFrame(conn net.Conn, frames *bufio.Reader, buffer []byte) ([]byte, error) {
	for {
		header, err := ws.ReadHeader(frames)
		if err != nil {
			return nil, err
		}
		payload := buffer[:min(header.Length, eventSize)]
		if _, err := io.ReadFull(frames, payload); err != nil {
			return nil, err
		}
		switch {
		case header.OpCode == ws.OpPing:
			err = ws.WriteFrame(conn, ws.MaskFrame(ws.NewPongFrame(payload)))
		case header.OpCode != ws.OpText || bytes.Contains(payload, []byte(`"type":"error"`)):
			err = fmt.Errorf("unexpected frame %.300q", payload)
		case bytes.Contains(payload, []byte(`"live":{`)):
			return payload, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
