package fleet

import (
	"slices"
	"sync"

	"github.com/gomodule/redigo/redis"
)

// server is a server of Redis, or the master that Sentinels name, with the pipe to it.
type server struct {
	// connectTo makes a connection, and returns its address.
	connectTo func() (string, redis.Conn, error)

	mu      sync.Mutex
	pipe    *pipe // nil before the first one
	dialing *dialing
	closed  bool
}

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

// connect returns the pipe, and makes one if there is none that works. It waits for connectionTimeout at each step: the
// connection, each command that it begins with, and as long for each Sentinel.
func (s *server) connect() (*pipe, error) {
	s.mu.Lock()
	p, d, closed := s.connectedLocked(), s.dialing, s.closed
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
		if s.dialing = nil; d.err == nil {
			s.pipe = d.pipe
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
