package fleet

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"pixgraph/internal/memnet"
)

// script returns the answer to a command. After "", nothing is answered on the connection any more: answers come in the
// order of commands. After one that ends with hangUp, it is closed.
type script func(words []string) string

const hangUp = "(hang up)"

// scripted is servers in memory that answer as scripts say, and record the commands. It is not an imitation of Redis,
// which package test/redis runs.
type scripted struct {
	mu      sync.Mutex
	scripts map[string]script // by address; others refuse connections
	got     []string          // addresses with commands, without HELLO
	conns   []net.Conn        // of the servers, in the order in which they were made
}

// always is a script that begins connections, and answers each other command with one text.
func always(text string) script {
	return func(words []string) string {
		if words[0] == "HELLO" {
			return "*0\r\n"
		}
		return text
	}
}

// set replaces the script of a server; nil for one that refuses connections.
func (s *scripted) set(address string, answer script) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.scripts == nil {
		s.scripts = map[string]script{}
	}
	s.scripts[address] = answer
}

// dial connects to a server.
func (s *scripted) dial(_ context.Context, _, address string) (net.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.scripts[address] == nil {
		return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	}
	at, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, err
	}
	client, server := memnet.Pipe(&net.TCPAddr{}, at)
	s.conns = append(s.conns, server)
	go s.serve(address, server)
	return client, nil
}

func (s *scripted) serve(address string, conn net.Conn) {
	defer conn.Close()
	lines, silent := bufio.NewReader(conn), false
	for {
		words, err := readCommand(lines)
		if err != nil {
			return
		}
		s.mu.Lock()
		if words[0] != "HELLO" {
			s.got = append(s.got, address+" "+strings.Join(words, " "))
		}
		answer := s.scripts[address]
		s.mu.Unlock()
		if answer == nil {
			return
		}
		text, ends := strings.CutSuffix(answer(words), hangUp)
		if silent = silent || text == "" && !ends; silent {
			continue
		}
		if _, err := io.WriteString(conn, text); err != nil || ends {
			return
		}
	}
}

// readCommand reads an array of strings.
func readCommand(lines *bufio.Reader) (words []string, err error) {
	var n int
	if _, err = fmt.Fscanf(lines, "*%d\r\n", &n); err != nil {
		return nil, err
	}
	for range n {
		var size int
		if _, err = fmt.Fscanf(lines, "$%d\r\n", &size); err != nil {
			return nil, err
		}
		word := make([]byte, size+2)
		if _, err = io.ReadFull(lines, word); err != nil {
			return nil, err
		}
		words = append(words, string(word[:size]))
	}
	return words, nil
}

// sent returns the commands so far that begin with a word.
func (s *scripted) sent(word string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.got), func(line string) bool { return !strings.Contains(line, " "+word) })
}

// leave makes a server refuse connections, and ends those that it has.
func (s *scripted) leave(address string) {
	s.set(address, nil)
	for _, conn := range s.made() {
		if conn.LocalAddr().String() == address {
			_ = conn.Close()
		}
	}
}

// made returns the connections that were made.
func (s *scripted) made() []net.Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.conns)
}

// open returns a fleet over the servers, without background work. It must be called in a bubble.
func (s *scripted) open(t *testing.T, url URL, log io.Writer) *Fleet {
	t.Helper()
	f, err := Open(Config{
		URL: url, Documents: 32 << 10, Dial: s.dial, TLS: func() *tls.Config { return nil }, Log: slog.New(slog.NewTextHandler(log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	f.ledger = noLedger{}
	return f
}
