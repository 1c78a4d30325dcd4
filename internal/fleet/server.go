package fleet

import (
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
	if s.pipe == nil || s.pipe.hasEnded() {
		return nil
	}
	return s.pipe
}

// connect returns the pipe, and makes one if there is none that works. It waits for connectionTimeout at most, and for
// as long for each Sentinel.
func (s *server) connect() (*pipe, error) {
	if p := s.connected(); p != nil {
		return p, nil
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, errAway
	}
	if d := s.dialing; d != nil {
		s.mu.Unlock()
		<-d.done
		return d.pipe, d.err
	}
	d := &dialing{done: make(chan struct{}), err: errPanic}
	s.dialing = d
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.dialing = nil; d.err == nil {
			s.pipe = d.pipe
		}
		if s.closed && s.pipe != nil {
			s.pipe.end(errAway)
		}
		close(d.done)
	}()
	address, conn, err := s.connectTo()
	if d.err = err; err == nil {
		d.pipe = newPipe(address, conn)
	}
	return d.pipe, d.err
}

func (s *server) open() error {
	_, err := s.connect()
	return err
}

func (s *server) dial() (redis.Conn, error) {
	_, conn, err := s.connectTo()
	return conn, err
}

// do sends commands and waits for their answers.
func (s *server) do(commands []command) []result {
	p, err := s.connect()
	if err != nil {
		return allFailed(len(commands), err)
	}
	return p.do(commands)
}

func (s *server) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.pipe != nil {
		s.pipe.end(errAway)
	}
}
