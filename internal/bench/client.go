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
)

// exchange is a request, as it goes over the wire, and the body that must answer it.
type exchange struct{ request, answer []byte }

// client is one connection of HTTP/1.1 that is kept alive. It does little more than the system calls: what it takes is
// taken from the servers that share the machine.
type client struct {
	conn net.Conn
	in   *bufio.Reader
}

// readAhead is the buffer of a connection: a tenth of a wide page.
const readAhead = 64 << 10

func dial(ctx context.Context, address string) (*client, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp4", address)
	if err != nil {
		return nil, err
	}
	return &client{conn, bufio.NewReaderSize(conn, readAhead)}, nil
}

func (c *client) close() { _ = c.conn.Close() }

// compared is how much of a body is compared while the clock runs. Whole bodies were compared before.
const compared = 256

var (
	errStatus = errors.New("the status is not 200")
	errLength = errors.New("the answer has no Content-Length")
	errAnswer = errors.New("the answer is another than the one recorded")
)

// do makes an exchange, and checks the answer's status, length and first bytes.
func (c *client) do(e exchange) error {
	length, err := c.send(e.request)
	if err != nil {
		return err
	}
	if length != len(e.answer) {
		return fmt.Errorf("%w: %d bytes, not %d", errAnswer, length, len(e.answer))
	}
	begin, err := c.in.Peek(min(length, compared))
	if err != nil {
		return err
	}
	if !bytes.Equal(begin, e.answer[:len(begin)]) {
		return errAnswer
	}
	_, err = c.in.Discard(length)
	return err
}

// ask sends a request and returns the body of its answer.
func (c *client) ask(request []byte) ([]byte, error) {
	length, err := c.send(request)
	if err != nil {
		return nil, err
	}
	body := make([]byte, length)
	_, err = io.ReadFull(c.in, body)
	return body, err
}

// send sends a request, reads the head of its answer, and returns the length of the body.
func (c *client) send(request []byte) (int, error) {
	if _, err := c.conn.Write(request); err != nil {
		return 0, err
	}
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	if !bytes.HasPrefix(line, []byte("HTTP/1.1 200 ")) {
		return 0, fmt.Errorf("%w: %q", errStatus, bytes.TrimSpace(line))
	}
	length := -1
	for {
		if line, err = c.in.ReadSlice('\n'); err != nil {
			return 0, err
		}
		line = bytes.TrimSuffix(line, []byte("\r\n"))
		switch {
		case len(line) == 0 && length < 0:
			return 0, errLength
		case len(line) == 0:
			return length, nil
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(value)); err != nil {
				return 0, errLength
			}
		}
	}
}

// askOnce asks over a connection of its own.
func askOnce(ctx context.Context, address string, request []byte) ([]byte, error) {
	c, err := dial(ctx, address)
	if err != nil {
		return nil, err
	}
	defer c.close()
	return c.ask(request)
}
