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

// pipe is a connection on which commands are pipelined: one that is sent does not wait for the answers to others. Their
// order alone says which command an answer is for.
//
//   - Key: none.
//   - Bound: as many commands as are in flight (link), buffers of 8 KiB, and maxReply bytes of answers for each batch.
//   - Filled by: commands of the link.
//   - Emptied by: answers, or the end of the connection, connectionTimeout after a command that is not answered.
type pipe struct {
	address string
	conn    redis.Conn
	queue   chan *batch // to be sent
	sent    chan *batch // for answers, one for each command in their order

	once  sync.Once
	ended chan struct{}
	err   error // why it ended
}

// batch is commands that are sent together, and the place of their answers.
type batch struct {
	commands []command
	answers  chan result
	size     int // of the answers, in bytes
}

func newPipe(address string, conn redis.Conn) *pipe {
	p := &pipe{
		address: address, conn: conn, queue: make(chan *batch, maxInFlight), sent: make(chan *batch, maxInFlight), ended: make(chan struct{}),
	}
	go p.run(p.write)
	go p.run(p.read)
	return p
}

// do sends commands and waits for their answers.
func (p *pipe) do(commands []command) []result {
	b := &batch{commands: commands, answers: make(chan result, len(commands))}
	select {
	case p.queue <- b:
	case <-p.ended:
	}
	results := make([]result, len(commands))
	for i := range results {
		select {
		case results[i] = <-b.answers:
			continue
		case <-p.ended:
		}
		select {
		case results[i] = <-b.answers: // before the end
		default:
			results[i].err = p.err
		}
	}
	return results
}

// run runs one direction until the connection ends.
func (p *pipe) run(direction func()) {
	defer func() {
		_ = recover()
		p.end(errPanic) // if it has not ended
	}()
	direction()
}

// write sends commands.
func (p *pipe) write() {
	for {
		select {
		case b := <-p.queue:
			for _, c := range b.commands {
				_ = p.conn.Send(c.words[0].(string), c.words[1:]...) // an error ends the connection, which Receive notices
				select {
				case p.sent <- b:
				case <-p.ended:
					return
				}
			}
			_ = p.conn.Flush() // after each: sent has places for each command of a batch
		case <-p.ended:
			return
		}
	}
}

// read hands answers to those that wait for them.
func (p *pipe) read() {
	for {
		select {
		case b := <-p.sent:
			reply, err := p.conn.Receive()
			ended := p.conn.Err()
			if b.size += sizeOf(reply); b.size > maxReply {
				ended = errLarge
			}
			if ended != nil {
				p.end(ended)
				return
			}
			b.answers <- result{reply, err}
		case <-p.ended:
			return
		}
	}
}

// end closes the connection, and fails the commands that are not answered.
func (p *pipe) end(err error) {
	p.once.Do(func() {
		p.err = err
		close(p.ended)
		_ = p.conn.Close()
	})
}

func (p *pipe) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}
