// Package websocket runs operations over WebSockets, by the protocol graphql-transport-ws of npm graphql-ws: queries,
// and subscriptions, whose events package stream writes.
//
// Its Session decides whether a connection may be opened, and package run whether an operation may run.
//
// Read Transport.Serve first, then connection.serve.
package websocket

import (
	"bufio"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gobwas/ws"

	"pixgraph/graph/apierror"
	"pixgraph/internal/delay"
	"pixgraph/internal/quota"
	"pixgraph/request"
	"pixgraph/serve/envelope"
	"pixgraph/serve/run"
	"pixgraph/serve/stream"
	"pixgraph/upstream/live"
)

// subprotocol is the subprotocol of npm graphql-ws.
const subprotocol = "graphql-transport-ws"

// Config configures WebSockets. Session is required; a duration of 0 means the default of package live.
type Config struct {
	// Session begins the session of a connection, from the request that opens it.
	Session func(*request.Call, *http.Request) Session
	// Origin reports whether the page that sends a request may open a connection. nil allows only the gateway's origin.
	Origin func(*http.Request) bool

	Heartbeat time.Duration // between pings of a silent client
	Lifetime  time.Duration // of a connection, less up to 10 % at random
}

// Session is the caller of a WebSocket. The methods are called one at a time.
type Session interface {
	// Authenticate sets the caller, from the values of an Authorization header. It returns the expiry of the token,
	// which is the zero time if it is unknown. The error is a *CloseError.
	Authenticate(ctx context.Context, authorization []string) (expires time.Time, err error)
	// Begin is called before each message is read. It returns the call of the operation that the message may begin,
	// with an account that is released at its end, and a context that carries it.
	Begin(context.Context) (context.Context, *request.Call)
	// Verified reports whether the client may begin operations: its certificate is still that of an accepted CA.
	Verified() bool
	// End is the last call.
	End()
}

// Transport has the WebSockets. It must be closed.
//
// A connection is hijacked from net/http. At rest it has one goroutine, which reads, and a buffer of smallBuffer bytes.
//
//   - Key: the connection.
//   - Bound: the connections of the server; those with a caller by the Session. A connection has about 10 KiB with its
//     goroutine; the streams that its caller may have, which are counted as those of other protocols; maxExecuting
//     operations that are executed or answered, with those that their client has completed; and one incomplete
//     message. Operations and messages are counted in the memory of requests.
//   - Filled by: any client; without a valid token for initTimeout at most.
//   - Emptied by: the client, expiry of the token, lifetime, two heartbeats without a sign of the client, and drain.
type Transport struct {
	runner *run.Runner
	config Config
	tasks  sync.WaitGroup // the goroutines of connections and of their operations

	mu       sync.Mutex
	open     map[*connection]struct{}
	draining bool
}

// New returns a transport whose operations the runner executes.
func New(runner *run.Runner, config Config) *Transport {
	if config.Heartbeat <= 0 {
		config.Heartbeat = live.DefaultHeartbeat
	}
	if config.Lifetime <= 0 {
		config.Lifetime = live.DefaultLifetime
	}
	return &Transport{runner: runner, config: config, open: map[*connection]struct{}{}}
}

// IsUpgrade reports whether a request opens a WebSocket.
func IsUpgrade(r *http.Request) bool {
	return slices.ContainsFunc(tokens(r.Header["Upgrade"]), func(t string) bool { return strings.EqualFold(t, "websocket") })
}

// tokens splits the values of a header with a list of tokens.
func tokens(values []string) []string {
	var list []string
	for _, value := range values {
		for token := range strings.SplitSeq(value, ",") {
			list = append(list, strings.TrimSpace(token))
		}
	}
	return list
}

// Serve opens a connection, and returns while the connection is open. The context carries the call.
func (t *Transport) Serve(ctx context.Context, call *request.Call, w http.ResponseWriter, r *http.Request) {
	offered := tokens(r.Header["Sec-Websocket-Protocol"])
	var refused *apierror.Error
	switch {
	case !t.mayOpen(r):
		refused = errOrigin
	case len(offered) == 0:
		refused = errNoProtocol
	case t.isDraining():
		refused = errDraining
	}
	if refused != nil {
		envelope.WriteError(w, r, refused, t.runner.Present(ctx, refused))
		return
	}
	supported := slices.Contains(offered, subprotocol)
	upgrader := ws.HTTPUpgrader{
		Timeout: stream.WriteTimeout,
		// An unsupported subprotocol is accepted too: a browser shows the reason of a close, but not of an HTTP error.
		Protocol: func(offer string) bool { return offer == subprotocol || !supported },
		Header:   http.Header{"X-Request-Id": w.Header()["X-Request-Id"]},
	}
	conn, buffered, _, err := upgrader.Upgrade(r, w)
	if conn == nil {
		return
	}
	if err != nil || buffered.Reader.Buffered() > 0 { // a client must wait for the response before it sends frames
		_ = conn.Close()
		return
	}
	c := &connection{
		transport: t, conn: conn, in: bufio.NewReaderSize(conn, smallBuffer), session: t.config.Session(call, r),
		authorization: r.Header["Authorization"],
		until:         time.Now().Add(initTimeout), why: closeNoInit, operations: map[string]*operation{},
		slots: make(quota.Semaphore, maxExecuting),
	}
	c.ctx, c.cancel = context.WithCancel(context.Background()) // not the context of the request, which holds more memory
	if !supported {
		c.until, c.why = time.Now(), closeProtocol
	}
	if !t.add(c) { // drain began after the client got the response
		_ = c.write(ws.OpClose, ws.NewCloseFrameBody(ws.StatusCode(closeDrain.Code), closeDrain.Reason))
		c.end()
	}
}

// mayOpen reports whether the page that sends a request may connect. Browsers do not apply CORS to WebSockets.
func (t *Transport) mayOpen(r *http.Request) bool {
	origins := r.Header["Origin"]
	if len(origins) == 0 {
		return true // not a browser
	}
	if len(origins) == 1 {
		if own, err := url.Parse(origins[0]); err == nil && own.Host != "" && strings.EqualFold(own.Host, r.Host) {
			return true
		}
	}
	return t.config.Origin != nil && t.config.Origin(r)
}

// add starts a connection, unless the transport is draining.
func (t *Transport) add(c *connection) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.draining {
		return false
	}
	t.open[c] = struct{}{}
	t.tasks.Go(c.serve)
	return true
}

func (t *Transport) remove(c *connection) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, c)
}

func (t *Transport) isDraining() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.draining
}

// Open returns the number of connections.
func (t *Transport) Open() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.open)
}

// Drain closes all connections within a time, at random moments that are evenly distributed, and rejects new ones.
func (t *Transport) Drain(within time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.draining = true
	at, part := time.Now(), within/time.Duration(max(len(t.open), 1))
	for c := range t.open {
		c.stop(at.Add(delay.Random(nil).UpTo(part)), closeDrain)
		at = at.Add(part)
	}
}

// Close closes all connections at once, and waits until their goroutines have ended.
func (t *Transport) Close() {
	t.Drain(0)
	t.tasks.Wait()
}
