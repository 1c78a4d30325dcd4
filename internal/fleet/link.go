package fleet

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"

	"pixgraph/internal/filewatch"
)

const (
	// maxInFlight bounds the commands that Redis has not answered. Below the 1,024 places of the ring of rueidis, which
	// ignores the contexts of those that wait for a place (rueidis#858).
	maxInFlight = 256
	// MaxWait is the time after which an unanswered command counts as failed.
	MaxWait = 100 * time.Millisecond
	// connectionTimeout ends a connection whose commands are not answered.
	connectionTimeout = time.Second
	// pingAfter is the silence after which rueidis pings.
	pingAfter      = 400 * time.Millisecond
	bufferSize     = 32 << 10
	reconnectDelay = time.Second // half of the largest: see jitter
	maxPassword    = 4 << 10
)

// options are those of rueidis. By default it waits for the answers of a stalled server, retries, and has 4 connections
// with buffers of 1 MiB each.
func (c Config) options() (rueidis.ClientOption, error) {
	target, err := c.URL.Parse()
	if err != nil {
		return rueidis.ClientOption{}, err
	}
	o := target.options
	o.ClientName, o.ClientSetInfo = "pixgraph", rueidis.DisableClientSetInfo
	o.DisableCache, o.DisableRetry, o.AlwaysPipelining, o.PipelineMultiplex = true, true, true, -1
	o.ConnWriteTimeout, o.ReadBufferEachConn, o.WriteBufferEachConn = c.timeout(), bufferSize, bufferSize
	o.Dialer = net.Dialer{Timeout: c.timeout(), KeepAlive: pingAfter}
	o.Sentinel.Dialer, o.Sentinel.TopologyRefreshInterval = o.Dialer, 5*time.Second
	isSentinel := &tls.Config{} // by this pointer rueidis says that it connects to a Sentinel
	o.Sentinel.TLSConfig = isSentinel
	o.DialCtxFn = func(ctx context.Context, address string, _ *net.Dialer, config *tls.Config) (net.Conn, error) {
		conn, err := c.connect(ctx, address, target.TLS)
		if err == nil && config == isSentinel {
			conn = sentinel{conn}
		}
		return conn, err
	}
	user, password := o.Username, o.Password
	o.AuthCredentialsFn = func(to rueidis.AuthCredentialsContext) (rueidis.AuthCredentials, error) {
		credentials := rueidis.AuthCredentials{Username: user, Password: password}
		if _, ok := to.Address.(sentinelAddr); ok {
			credentials.Username = "" // Sentinels seldom have users
		}
		if c.PasswordFile != "" {
			text, err := (&filewatch.File{Path: c.PasswordFile, Max: maxPassword}).Read()
			if err != nil {
				return rueidis.AuthCredentials{}, fmt.Errorf("redis_password_file: %w", err)
			}
			credentials.Password = strings.TrimSpace(string(text))
		}
		return credentials, nil
	}
	_, err = o.AuthCredentialsFn(rueidis.AuthCredentialsContext{})
	return o, err
}

// timeout ends a connection that is not made, or whose commands are not answered.
func (c Config) timeout() time.Duration { return cmp.Or(c.patience, connectionTimeout) }

// within returns the time after which a command in the background counts as failed.
func (c Config) within() time.Duration { return cmp.Or(c.maxWait, MaxWait) }

// connect makes one connection.
func (c Config) connect(ctx context.Context, address string, withTLS bool) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout())
	defer cancel()
	network := "tcp"
	if strings.HasPrefix(address, "/") {
		network = "unix"
	}
	dial := c.Dial
	if network == "unix" {
		dial = new(net.Dialer).DialContext
	}
	conn, err := dial(ctx, network, address)
	if err != nil || !withTLS {
		return conn, err
	}
	config := c.TLS().Clone()
	config.ServerName, _, _ = net.SplitHostPort(address)
	secure := tls.Client(conn, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return secure, nil
}

// sentinel is a connection to a Sentinel, with a remote address of the type sentinelAddr.
type sentinel struct{ net.Conn }

type sentinelAddr struct{ net.Addr }

// RemoteAddr implements net.Conn.
func (s sentinel) RemoteAddr() net.Addr { return sentinelAddr{s.Conn.RemoteAddr()} }

// link is the connection on which commands are pipelined.
//
//   - Key: none.
//   - Bound: maxInFlight commands, of which settlements and documents have 128 and 64 at most, and buffers of 64 KiB.
//   - Filled by: the background work of the fleet, and requests with the hash of an unknown document.
//   - Emptied by: an answer, or the end of a connection that does not answer within 1.4 s.
type link struct {
	options  rueidis.ClientOption
	observe  func(took time.Duration)
	inFlight atomic.Int64

	mu     sync.Mutex
	client rueidis.Client // nil before the first connection and after the last one
	closed bool
}

// The errors of do.
var (
	errAway    = errors.New("no connection yet")
	errBusy    = errors.New("too many commands are not answered")
	errTimeout = errors.New("no answer in time")
	errPanic   = errors.New("panic in the client")
)

// open makes the client, which connects again by itself later.
func (l *link) open() error {
	client, err := rueidis.NewClient(l.options)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		client.Close()
		return errAway
	}
	l.client = client
	return nil
}

func (l *link) close() {
	l.mu.Lock()
	client := l.client
	l.closed, l.client = true, nil
	l.mu.Unlock()
	if client != nil {
		client.Close() // it waits for commands that a stalled server does not answer, until their connection ends
	}
}

func (l *link) current() rueidis.Client {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.client
}

// build returns commands for a client, of which there are as many as was said before.
type build func(rueidis.Builder) rueidis.Commands

// do sends n commands and waits for their answers. After the wait it ignores them: rueidis ends them with the
// connection, and until then they count as in flight.
func (l *link) do(wait time.Duration, n int, commands build) ([]rueidis.RedisResult, error) {
	return l.doThen(wait, n, commands, func() {})
}

// doThen is do, and calls a function when the commands are not in flight any more.
func (l *link) doThen(wait time.Duration, n int, commands build, ended func()) ([]rueidis.RedisResult, error) {
	client := l.current()
	if client == nil {
		ended()
		return nil, errAway
	}
	if l.inFlight.Add(int64(n)) > maxInFlight {
		l.inFlight.Add(int64(-n))
		ended()
		return nil, errBusy
	}
	answered := make(chan []rueidis.RedisResult, 1)
	go func() {
		var results []rueidis.RedisResult
		defer func() {
			_ = recover() // results stay nil
			l.inFlight.Add(int64(-n))
			ended()
			answered <- results
		}()
		began := time.Now()
		results = client.DoMulti(context.Background(), commands(client.B())...)
		l.observe(time.Since(began))
	}()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case results := <-answered:
		if results == nil {
			return nil, errPanic
		}
		return results, nil
	case <-timer.C:
		return nil, errTimeout
	}
}

// jitter returns a duration of half to three halves of another one, so that replicas do not act at the same time.
func jitter(d time.Duration) time.Duration { return d/2 + rand.N(d) }
