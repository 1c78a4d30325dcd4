package websocket

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql"
	"github.com/gobwas/ws"

	"pixgraph/internal/delay"
	"pixgraph/internal/quota"
	"pixgraph/request"
	"pixgraph/serve/message"
	"pixgraph/upstream/live"
)

const (
	// smallBuffer is the size of the buffer that a connection reads frames with. It has the messages that most clients
	// send, except subscribe; larger payloads are not copied through it.
	smallBuffer = 128
	// initTimeout bounds the time until connection_init.
	initTimeout = 5 * time.Second
	// messageTimeout bounds the time from the first byte of a message to the last one.
	messageTimeout = 15 * time.Second
	// lingerTimeout bounds the time that the gateway waits for the client's part of the closing handshake.
	lingerTimeout = time.Second
	// lingerBytes bounds what it reads in that time.
	lingerBytes = 256 << 10
	// maxInit bounds connection_init, in bytes: a token has at most 16 KiB.
	maxInit = 64 << 10
	// maxUnanswered is the number of pings after which a silent client counts as gone.
	maxUnanswered = 2
)

// connection is an open WebSocket.
type connection struct {
	transport *Transport
	conn      net.Conn
	ctx       context.Context
	cancel    context.CancelFunc

	// Used by the goroutine of the connection only.
	in            *bufio.Reader
	session       Session
	authorization []string // of the request; nil after connection_init
	initialized   bool     // whether connection_init has been received
	unanswered    int      // pings since the client sent something
	left          bool     // whether the client has sent a close frame
	full          bool     // whether it has waited for a slot in vain since it had one

	slots quota.Semaphore // of the operations that are executed or answered

	mu         sync.Mutex
	operations map[string]*operation // by the id that the client gave
	until      time.Time             // the end of the connection
	why        *CloseError           // the reason for that end

	writing sync.Mutex
	closed  bool // nothing more may be written
}

// serve reads from the connection until it ends. It is the goroutine of the connection.
func (c *connection) serve() {
	defer c.end()
	defer func() {
		if panicked := recover(); panicked != nil {
			_ = c.transport.runner.Panicked(c.ctx, panicked) // logs it
			c.close(closeFault)
		}
	}()
	err := c.await()
	for err == nil {
		runtime.Gosched() // the client may send messages without a pause
		if err = c.message(); err == nil {
			err = c.await()
		}
	}
	c.mu.Lock()
	over, why := !time.Now().Before(c.until), c.why
	c.mu.Unlock()
	var refused *CloseError
	switch late := errors.Is(err, os.ErrDeadlineExceeded); {
	case errors.As(err, &refused):
		c.close(refused)
	case late && over:
		c.close(why)
	case late:
		c.close(closeSlow)
	}
}

// await waits until the client sends something, and sends pings meanwhile.
func (c *connection) await() error {
	for {
		c.setDeadline(c.transport.config.Heartbeat)
		_, err := c.in.Peek(1)
		if err == nil {
			c.unanswered = 0
			c.setDeadline(messageTimeout)
			return nil
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) || c.isOver() {
			return err
		}
		if !c.writing.TryLock() {
			continue // what is being written shows whether the client is there, and a ping would be behind it
		}
		c.writing.Unlock()
		if c.unanswered++; c.unanswered > maxUnanswered {
			return closeSilent
		}
		if err := c.write(ws.OpPing, nil); err != nil {
			return err
		}
	}
}

// setDeadline bounds the reads that follow, by a time and by the end of the connection.
func (c *connection) setDeadline(within time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := time.Now().Add(within)
	if c.until.Before(at) {
		at = c.until
	}
	_ = c.conn.SetReadDeadline(at)
}

func (c *connection) isOver() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !time.Now().Before(c.until)
}

// stop makes the connection end at a time, unless it ends earlier anyway. It does not wait.
func (c *connection) stop(at time.Time, why *CloseError) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at.Before(c.until) {
		c.until, c.why = at, why
		_ = c.conn.SetReadDeadline(at)
	}
}

// message reads a message and handles it, or handles a control frame.
func (c *connection) message() error {
	ctx, call := c.session.Begin(c.ctx)
	keep := false
	defer func() {
		if !keep {
			call.Account.Release()
		}
	}()
	buffer := message.Buffers.Get()
	defer message.Buffers.Put(buffer)
	limit := c.transport.runner.MaxBody
	if !c.initialized {
		limit = min(limit, maxInit)
	}
	if err := c.read(buffer, limit, call.Account); err != nil || buffer.Len() == 0 {
		return err
	}
	m, err := c.parse(ctx, call, buffer.Bytes())
	if err != nil {
		return err
	}
	switch m.Type {
	case "connection_init":
		return c.init(m)
	case "ping":
		return c.write(ws.OpText, []byte(`{"type":"pong"}`))
	case "pong":
		return nil
	case "subscribe":
		if !c.initialized {
			return closeNotAccepted
		}
		if !c.session.Verified() {
			return closeUnverified
		}
		keep, err = c.subscribe(ctx, call, m)
		return err
	case "complete":
		c.complete(m.ID)
		return nil
	default:
		return closeInvalid
	}
}

// parse parses a message, without the payload of subscribe.
func (c *connection) parse(ctx context.Context, call *request.Call, text []byte) (m message.WebSocket, err error) {
	defer c.transport.runner.Turn(ctx, call, len(text)).End()
	if !utf8.Valid(text) {
		return m, closeText
	}
	if m, err = message.ParseWebSocket(text); err != nil {
		return m, closeInvalid
	}
	return m, nil
}

// parsePayload parses the payload of subscribe.
func (c *connection) parsePayload(ctx context.Context, call *request.Call, payload []byte) (*graphql.RawParams, error) {
	defer c.transport.runner.Turn(ctx, call, len(payload)).End()
	return message.Parse(payload)
}

// init authenticates the caller: with the token in connection_init, or else with that of the request.
func (c *connection) init(m message.WebSocket) error {
	if c.initialized {
		return closeSecondInit
	}
	c.initialized = true
	authorization := m.Authorization
	if authorization == nil {
		authorization = c.authorization
	}
	c.authorization = nil
	ctx, cancel := context.WithTimeout(c.ctx, initTimeout)
	defer cancel()
	expires, err := c.session.Authenticate(ctx, authorization)
	if err != nil {
		return err
	}
	lifetime := c.transport.config.Lifetime
	lifetime -= delay.Random(nil).UpTo(lifetime / 10)
	c.mu.Lock()
	if c.why == closeNoInit { // the gateway does not drain
		c.until, c.why = time.Now().Add(lifetime), closeLifetime
	}
	c.mu.Unlock()
	if !expires.IsZero() {
		c.stop(expires, closeExpired)
	}
	return c.write(ws.OpText, []byte(`{"type":"connection_ack"}`))
}

// close sends a close frame, ends the operations, and waits for the client's close frame if that did not come first.
// Only the goroutine of the connection calls it.
func (c *connection) close(why *CloseError) {
	if c.write(ws.OpClose, ws.NewCloseFrameBody(ws.StatusCode(why.Code), why.Reason)) != nil || c.left {
		return
	}
	c.endOperations(why.end())
	// Without this, data that was not read would reset the connection, and the client might lose the close frame.
	_ = c.conn.SetReadDeadline(time.Now().Add(lingerTimeout))
	for in := io.LimitReader(c.in, lingerBytes); ; {
		header, err := ws.ReadHeader(in)
		if err != nil || header.OpCode == ws.OpClose {
			return
		}
		if _, err := io.CopyN(io.Discard, in, header.Length); err != nil {
			return
		}
	}
}

// end releases everything.
func (c *connection) end() {
	_ = c.conn.Close()
	c.endOperations(live.EndClient)
	c.cancel()
	c.session.End()
	c.transport.remove(c)
}
