package fleet

import (
	"slices"
	"sync"

	"github.com/gomodule/redigo/redis"
)

// command is a command of Redis. In a cluster, the key decides about the node; any has a command without a key.
type command struct {
	key   string
	words []any
}

// keyed is a command whose first argument is its key.
func keyed(name, key string, args ...any) command {
	return command{key, append([]any{name, key}, args...)}
}

// keyless is a command without a key.
func keyless(name string, args ...any) command { return command{"", append([]any{name}, args...)} }

// result is the answer to a command. The error is a redis.Error if it is from the server.
type result struct {
	reply any
	err   error
}

// allFailed are the results of n commands that fail with one error.
func allFailed(n int, err error) []result { return slices.Repeat([]result{{err: err}}, n) }

// pipe is a connection on which commands are pipelined: one that is sent does not wait for the answers to others.
//
//   - Key: none.
//   - Bound: as many commands as are in flight (link), and buffers of 8 KiB.
//   - Filled by: commands of the link.
//   - Emptied by: answers, or the end of the connection, connectionTimeout after a command that is not answered.
type pipe struct {
	address string
	conn    redis.Conn
	waiting chan chan<- result // for answers, in the order of commands; at most maxInFlight
	ended   chan struct{}

	mu  sync.Mutex // of those that send
	err error      // why it ended
}

func newPipe(address string, conn redis.Conn) *pipe {
	p := &pipe{address: address, conn: conn, waiting: make(chan chan<- result, maxInFlight), ended: make(chan struct{})}
	go p.read()
	return p
}

// do sends commands with one write and waits for their answers.
func (p *pipe) do(commands []command) []result {
	answers := make(chan result, len(commands))
	if err := p.send(commands, answers); err != nil {
		return allFailed(len(commands), err)
	}
	results := make([]result, len(commands))
	for i := range results {
		results[i] = <-answers
	}
	return results
}

func (p *pipe) send(commands []command, answers chan<- result) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return p.err
	}
	for _, c := range commands {
		p.waiting <- answers
		_ = p.conn.Send(c.words[0].(string), c.words[1:]...) // an error ends the connection, which Receive notices
	}
	_ = p.conn.Flush()
	return nil
}

// read hands answers to those that wait for them, until the connection ends.
func (p *pipe) read() {
	answers := make(chan<- result)
	defer func() {
		err := errPanic
		if recover() == nil {
			err = p.conn.Err()
		}
		p.end(err)
		select {
		case answers <- result{err: err}:
		default: // it has its answer
		}
	}()
	for {
		select {
		case answers = <-p.waiting:
		case <-p.ended:
			return
		}
		reply, err := p.conn.Receive()
		if p.conn.Err() != nil {
			return
		}
		answers <- result{reply, err}
		answers = nil
	}
}

// end closes the connection, and fails the commands that are not answered.
func (p *pipe) end(err error) {
	_ = p.conn.Close() // first: it ends a write that holds the lock
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return
	}
	if p.err = err; err == nil {
		p.err = errAway
	}
	close(p.ended)
	for {
		select {
		case answers := <-p.waiting:
			answers <- result{err: p.err}
		default:
			return
		}
	}
}

func (p *pipe) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}
