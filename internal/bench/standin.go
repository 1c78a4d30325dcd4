package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// standin answers for both APIs from memory, for as little as that can cost: whole answers, header and all, are made
// beforehand and found by the request's target. It checks nothing, tokens neither.
type standin struct {
	answers map[string][]byte
	latency time.Duration
	calls   atomic.Int64
}

// callsPath answers how many calls there were. It is not one of them.
const callsPath = "/calls"

// runStandin serves the APIs. Its arguments are how long it waits before it answers, and for how many sets of variables it
// has records.
func runStandin(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	if len(args) != 2 {
		return errors.New("standin: needs a latency and a number of sets")
	}
	latency, err := time.ParseDuration(args[0])
	if err != nil {
		return fmt.Errorf("standin: %w", err)
	}
	sets, err := strconv.Atoi(args[1])
	if err != nil || sets < 1 {
		return fmt.Errorf("standin: %q is no number of sets", args[1])
	}
	s := &standin{answers: map[string][]byte{}, latency: latency}
	for target, body := range newRecords(sets).bodies() {
		s.answers[target] = response("200 OK", body)
	}
	return serveRole(ctx, stdin, stdout, s.serve)
}

func response(status string, body []byte) []byte {
	head := fmt.Sprintf("HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", status, len(body))
	return append([]byte(head), body...)
}

// serve answers connections until the listener is closed, and ends them then.
func (s *standin) serve(listener net.Listener) error {
	var open sync.Map
	var serving sync.WaitGroup
	for {
		conn, err := listener.Accept()
		if err != nil {
			open.Range(func(conn, _ any) bool {
				_ = conn.(net.Conn).Close()
				return true
			})
			serving.Wait()
			return err
		}
		open.Store(conn, nil)
		serving.Go(func() {
			defer open.Delete(conn)
			defer conn.Close()
			s.converse(conn)
		})
	}
}

// converse answers the requests of one connection. A request is its head: those of the APIs have no body.
func (s *standin) converse(conn net.Conn) {
	in := bufio.NewReaderSize(conn, 8<<10)
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return
		}
		answer, call := s.answer(target(line))
		for len(line) > len("\r\n") {
			if line, err = in.ReadSlice('\n'); err != nil {
				return
			}
		}
		if call && s.latency > 0 {
			time.Sleep(s.latency)
		}
		if _, err := conn.Write(answer); err != nil {
			return
		}
	}
}

// target is the second word of a request line.
func target(line []byte) []byte {
	_, rest, _ := bytes.Cut(line, []byte(" "))
	found, _, _ := bytes.Cut(rest, []byte(" "))
	return found
}

// answer finds the answer to a target, and tells whether the request was a call of the APIs.
func (s *standin) answer(target []byte) (answer []byte, call bool) {
	if string(target) == callsPath {
		return response("200 OK", strconv.AppendInt(nil, s.calls.Load(), 10)), false
	}
	s.calls.Add(1)
	if answer, ok := s.answers[string(target)]; ok {
		return answer, true
	}
	return response("404 Not Found", []byte("{}")), true
}
