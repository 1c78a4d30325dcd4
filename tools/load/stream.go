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

// stream is the client of a subscription.
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
	if protocol == "websocket" {
		return openWebSocket(ctx, address, token, subscription)
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp4", address)
	if err != nil {
		return nil, err
	}
	body, err := request(conn, post("/graphql", token, subscription, "Accept: "+accepts()[protocol]))
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	// In both protocols an event is one line.
	lines := bufio.NewReaderSize(body, eventSize)
	next := func() ([]byte, error) {
		for {
			line, err := lines.ReadSlice('\n')
			if err != nil || bytes.Contains(line, []byte(`"live":{`)) {
				return line, err
			}
		}
	}
	return &stream{next, func() { _ = conn.Close() }}, nil
}

// request sends a request and returns the body of the response. It ends with the connection.
func request(conn net.Conn, text []byte) (io.Reader, error) {
	_ = conn.SetDeadline(time.Now().Add(time.Minute)) // longer than the gateway takes for any response
	if _, err := conn.Write(text); err != nil {
		return nil, err
	}
	resp, err := http.ReadResponse(bufio.NewReaderSize(conn, eventSize), nil)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		_ = conn.Close() // Body.Close reads to the end
		_ = resp.Body.Close()
		return nil, fmt.Errorf("status %d", resp.StatusCode)
	}
	return resp.Body, conn.SetDeadline(time.Time{})
}

// openWebSocket begins a subscription over a WebSocket (graphql-transport-ws).
func openWebSocket(ctx context.Context, address, token string, subscription operation) (*stream, error) {
	conn, early, _, err := ws.Dialer{Protocols: []string{"graphql-transport-ws"}}.Dial(ctx, "ws://"+address+"/graphql")
	if err != nil {
		return nil, err
	}
	if early != nil {
		ws.PutReader(early) // the gateway sends nothing before connection_init
	}
	payload, _ := json.Marshal(subscription)
	for _, message := range []string{
		`{"type":"connection_init","payload":{"Authorization":"Bearer ` + token + `"}}`,
		`{"type":"subscribe","id":"1","payload":` + string(payload) + `}`,
	} {
		if err := ws.WriteFrame(conn, ws.MaskFrame(ws.NewTextFrame([]byte(message)))); err != nil {
			_ = conn.Close()
			return nil, err
		}
	}
	frames, buffer := bufio.NewReaderSize(conn, eventSize), make([]byte, eventSize)
	return &stream{func() ([]byte, error) { return nextFrame(conn, frames, buffer) }, func() { _ = conn.Close() }}, nil
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
