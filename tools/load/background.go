package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/gobwas/ws"

	"pixgraph/internal/process"
)

// background is clients that load a server while other clients are measured. They run in a separate process, so that
// their processor time does not delay the measured clients. The process serves their totals over HTTP.
type background struct {
	Address  string
	Clients  int
	Requests [][]byte
	Sockets  bool          // whether each client is a WebSocket, whose messages the requests are
	Leave    time.Duration // after which a client closes its connection, without the response; 0 for never
	Backoff  bool          // whether a client waits after an error, for the retryAfterMs of the response, at least 100 ms

	load *load
}

// newBackground starts the clients of a configuration.
func newBackground(ctx context.Context, config *json.Decoder) (http.Handler, error) {
	b := &background{}
	err := config.Decode(b)
	b.load = newLoad(b.Clients, b.exchange, b.Address)
	go func() { _, _ = b.load.run(ctx, 1000*time.Hour) }() // ends with the context; the totals have the error
	return b, err
}

func (b *background) exchange(ctx context.Context, c *connection, n int) (string, time.Duration, error) {
	if b.Sockets {
		return ok, 0, b.converse(ctx)
	}
	if b.Leave > 0 {
		leaving, cancel := context.WithTimeout(ctx, b.Leave)
		_, _, err := c.do(leaving, b.Requests[(c.id+n*b.Clients)%len(b.Requests)])
		cancel()
		c.close()
		if err != nil && ctx.Err() == nil {
			return "left", 0, nil
		}
		return ok, 0, err
	}
	code, retryAfter, err := roundTrip(ctx, c, b.Requests[(c.id+n*b.Clients)%len(b.Requests)])
	if b.Backoff && code != ok {
		return code, max(retryAfter, 100*time.Millisecond), err
	}
	return code, 0, err
}

// converse keeps an operation of each request under way over a WebSocket, until the context ends. The first request is
// connection_init.
func (b *background) converse(ctx context.Context) error {
	conn, err := dialSocket(ctx, "tcp4", b.Address)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	for _, message := range b.Requests {
		if err := writeMessage(conn, message); err != nil {
			return err
		}
	}
	for in := bufio.NewReader(conn); ; {
		frame, err := ws.ReadFrame(in)
		var message struct {
			ID   int `json:",string"`
			Type string
		}
		switch {
		case err != nil:
			return err
		case frame.Header.OpCode == ws.OpPing:
			err = ws.WriteFrame(conn, ws.MaskFrame(ws.NewPongFrame(frame.Payload)))
		case frame.Header.OpCode != ws.OpText || json.Unmarshal(frame.Payload, &message) != nil || message.Type == "error":
			return fmt.Errorf("unexpected frame %.300q", frame.Payload)
		case message.Type == "complete":
			b.load.count(ok, time.Now(), 0)
			err = writeMessage(conn, b.Requests[message.ID])
		}
		if err != nil {
			return err
		}
	}
}

// ServeHTTP writes the totals.
func (b *background) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	b.load.mu.Lock()
	defer b.load.mu.Unlock()
	_ = json.NewEncoder(w).Encode(b.load.current.totals)
}

// readTotals reads the totals of clients that run.
func readTotals(ctx context.Context, clients *process.Process) (t totals, err error) {
	text, err := clients.Get(ctx, "/")
	if err == nil {
		err = json.Unmarshal([]byte(text), &t)
	}
	if t.Failure != "" {
		err = errors.New("background clients: " + t.Failure)
	}
	return t, err
}

// takeTurns is the exchange of clients that take turns to send requests.
func takeTurns(clients int, requests [][]byte) exchange {
	return (&background{Clients: clients, Requests: requests}).exchange
}

// ok is the code of a response without errors.
const ok = "ok"

// roundTrip sends a request and returns codeOf of the response. A status other than 200 or 503 is an error.
func roundTrip(ctx context.Context, c *connection, request []byte) (code string, retryAfter time.Duration, err error) {
	status, body, err := c.do(ctx, request)
	if err == nil && status != http.StatusOK && status != http.StatusServiceUnavailable {
		err = fmt.Errorf("a response has the status %d", status)
	}
	code, retryAfter = codeOf(body)
	return code, retryAfter, err
}

// codeOf returns the code of the first error of a response, and its retryAfterMs.
func codeOf(body []byte) (code string, retryAfter time.Duration) {
	if !bytes.HasPrefix(body, []byte(`{"errors":`)) {
		return ok, 0
	}
	var refused struct {
		Errors [1]struct {
			Extensions struct {
				Code         string
				RetryAfterMs int
			}
		}
	}
	if json.Unmarshal(body, &refused) != nil || refused.Errors[0].Extensions.Code == "" {
		return "no code", 0
	}
	first := refused.Errors[0].Extensions
	return first.Code, time.Duration(first.RetryAfterMs) * time.Millisecond
}
