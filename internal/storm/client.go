package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

// client is one connection that is kept. It asks in the goroutine of its caller, which costs less than net/http's client:
// what the clients take, the gateway does not have.
type client struct {
	conn net.Conn
	in   *bufio.Reader
}

// answerTimeout is beyond what any answer of the gateway takes.
const answerTimeout = time.Minute

func dial(ctx context.Context, address string) (*client, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp4", address)
	if err != nil {
		return nil, err
	}
	return &client{conn, bufio.NewReader(conn)}, nil
}

func (c *client) close() { _ = c.conn.Close() }

// ask sends a request and returns the body of its answer.
func (c *client) ask(request []byte) ([]byte, error) {
	if err := c.conn.SetDeadline(time.Now().Add(answerTimeout)); err != nil {
		return nil, err
	}
	if _, err := c.conn.Write(request); err != nil {
		return nil, err
	}
	resp, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusServiceUnavailable {
		return nil, fmt.Errorf("a request was answered %s", resp.Status)
	}
	return io.ReadAll(resp.Body)
}

// good is the code of an answer without errors.
const good = "ok"

// codeOf is the code of an answer's first error.
func codeOf(answer []byte) string {
	if !bytes.HasPrefix(answer, []byte(`{"errors":`)) {
		return good
	}
	code, ok := member(answer, `"code":"`, `"`)
	if !ok {
		return "no code"
	}
	return string(code)
}

// retryAfter is how long an answer says to wait, 0 when it does not.
func retryAfter(answer []byte) time.Duration {
	text, _ := member(answer, `"retryAfterMs":`, `,}`)
	millis, err := strconv.Atoi(string(text))
	if err != nil {
		return 0
	}
	return time.Duration(millis) * time.Millisecond
}

// member is what follows the first occurrence of a text, up to one of the ends.
func member(answer []byte, begin, ends string) ([]byte, bool) {
	_, rest, ok := bytes.Cut(answer, []byte(begin))
	end := bytes.IndexAny(rest, ends)
	if !ok || end < 0 {
		return nil, false
	}
	return rest[:end], true
}
