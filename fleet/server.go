package fleet

import (
	"slices"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"
)

// server is a server of Redis, or the master that Sentinels name, with the pipe to it.
type server struct {
	// connectTo makes a connection, and returns its address.
	connectTo func() (string, redis.Conn, error)

	mu      sync.Mutex
	pipe    *pipe // nil before the first one
	dialing *dialing
	failed  *dialing  // the last attempt, if it failed
	after   time.Time // the next one after that
	closed  bool
}

// connectPause is the time after a failed attempt to connect, on average, during which commands fail at once: they
// come many times a second.
const connectPause = 200 * time.Millisecond

// dialing is an attempt to connect, which all commands share that need the connection.
type dialing struct {
	done chan struct{}
	pipe *pipe
	err  error
}

func newServer(address string, dial func(address string) (redis.Conn, error)) *server {
	return &server{connectTo: func() (string, redis.Conn, error) {
		conn, err := dial(address)
		return address, conn, err
	}}
}

// connected returns the pipe, nil without one that works.
func (s *server) connected() *pipe {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connectedLocked()
}

func (s *server) connectedLocked() *pipe {
	if s.pipe == nil || s.pipe.hasEnded() {
		return nil
	}
	return s.pipe
}

// connect returns the pipe. It opens another one if that has ended. It waits for connectionTimeout, with Sentinels for
// each connection to one of them and for that to the master.
func (s *server) connect() (*pipe, error) {
	s.mu.Lock()
	p, d, closed := s.connectedLocked(), s.dialing, s.closed
	if d == nil && s.failed != nil && time.Now().Before(s.after) {
		d = s.failed
	}
	mine := p == nil && d == nil && !closed
	if mine {
		d = &dialing{done: make(chan struct{}), err: errPanic}
		s.dialing = d
	}
	s.mu.Unlock()
	switch {
	case p != nil:
		return p, nil
	case closed:
		return nil, errAway
	case mine:
		s.make(d)
	}
	<-d.done
	return d.pipe, d.err
}

// make makes the connection.
func (s *server) make(d *dialing) {
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.dialing, s.failed = nil, nil; d.err == nil {
			s.pipe = d.pipe
		} else {
			s.failed, s.after = d, time.Now().Add(jitter(connectPause))
		}
		if s.closed && d.err == nil {
			s.pipe.end(errAway)
		}
		close(d.done)
	}()
	address, conn, err := s.connectTo()
	if d.err = err; err == nil {
		d.pipe = newPipe(address, conn)
	}
}

func (s *server) open() error {
	_, err := s.connect()
	return err
}

func (s *server) dial() (redis.Conn, error) {
	_, conn, err := s.connectTo()
	return conn, err
}

// do sends commands and waits for their answers. After a failover its address may be that of another server, to which
// the next commands connect.
func (s *server) do(commands []command) []result {
	p, err := s.connect()
	if err != nil {
		return allFailed(len(commands), err)
	}
	results := p.do(commands)
	if slices.ContainsFunc(results, func(r result) bool { return r.err != nil && reason(r.err) == reasonReadOnly }) {
		p.end(errAway)
	}
	return results
}

func (s *server) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.pipe != nil {
		s.pipe.end(errAway)
	}
}
