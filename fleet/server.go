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

	mu     sync.Mutex
	last   *attempt // nil before the first one
	closed bool
}

// connectPause is the time after a failed attempt to connect, on average, during which commands fail at once: they
// come many times a second.
const connectPause = 200 * time.Millisecond

// attempt is an attempt to connect, which all commands share that need the connection. It does not change after done
// is closed.
type attempt struct {
	done  chan struct{}
	pipe  *pipe // of one that succeeded; written while the server is locked
	err   error
	again time.Time // when another one may follow one that failed
}

// isOver reports whether another attempt is due.
func (a *attempt) isOver() bool {
	select {
	case <-a.done:
		return a.err == nil && a.pipe.hasEnded() || a.err != nil && !time.Now().Before(a.again)
	default:
		return false
	}
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
	if s.last == nil || s.last.pipe == nil || s.last.pipe.hasEnded() {
		return nil
	}
	return s.last.pipe
}

// connect returns the pipe. It opens another one if that has ended. It waits for connectionTimeout, with Sentinels for
// each connection to one of them and for that to the master.
func (s *server) connect() (*pipe, error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, errAway
	}
	mine := s.last == nil || s.last.isOver()
	if mine {
		s.last = &attempt{done: make(chan struct{})}
	}
	a := s.last
	s.mu.Unlock()
	if mine {
		s.make(a)
	}
	<-a.done
	return a.pipe, a.err
}

// make makes the connection.
func (s *server) make(a *attempt) {
	var (
		address string
		conn    redis.Conn
		err     = errPanic
	)
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		defer close(a.done)
		if a.err = err; err != nil {
			a.again = time.Now().Add(jitter(connectPause))
			return
		}
		if a.pipe = newPipe(address, conn); s.closed {
			a.pipe.end(errAway)
		}
	}()
	address, conn, err = s.connectTo()
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
	if s.last != nil && s.last.pipe != nil {
		s.last.pipe.end(errAway)
	}
}
