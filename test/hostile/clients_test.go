package hostile

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

// caller returns a token for a caller of that name, with full access.
func (g *gateway) caller(name string) string {
	return g.box.Issuer().Sign(nil, claims(g, object{"sub": name}))
}

// callers returns the tokens of n callers.
func (g *gateway) callers(n int) []string {
	tokens := make([]string, n)
	for i := range tokens {
		tokens[i] = g.caller(fmt.Sprint("attacker ", i))
	}
	return tokens
}

// clientGroup is a number of concurrent clients.
type clientGroup struct {
	begun chan struct{} // closed when each client has the header of its response, or none
	ended chan struct{} // closed when each client has read its response

	mu       sync.Mutex
	statuses map[int]int // number of clients by status; 0 is no response
}

// startClients makes n clients send a body concurrently, each over its own connection, with the tokens in turn and
// additional header lines. They read their responses. If hold is not nil, they read only the header, and close the
// connection when hold is closed.
func (g *gateway) startClients(n int, tokens []string, body, lines string, hold <-chan struct{}) *clientGroup {
	c := &clientGroup{begun: make(chan struct{}), ended: make(chan struct{}), statuses: map[int]int{}}
	body = g.placeholders.Replace(body)
	var begun, ended sync.WaitGroup
	begun.Add(n)
	for i := range n {
		ended.Go(func() {
			begin := sync.OnceFunc(begun.Done)
			defer begin()
			status := ask(g.Address, tokens[i%len(tokens)], body, lines, begin, hold)
			c.mu.Lock()
			defer c.mu.Unlock()
			c.statuses[status]++
		})
	}
	go func() { begun.Wait(); close(c.begun) }()
	go func() { ended.Wait(); close(c.ended) }()
	return c
}

// ask posts a body over its own connection, calls begun when the header of the response has arrived, and returns its
// status; 0 without a response or with an incomplete one. See startClients for hold.
func ask(address, token, body, lines string, begun func(), hold <-chan struct{}) int {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return 0
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(2 * timeout))
	if hold != nil {
		_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10) // unread bytes stay in the gateway's buffers
	}
	send(conn, fmt.Sprintf("POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
		"%sContent-Length: %d\r\n\r\n%s", token, lines, len(body), body))
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	begun()
	if hold != nil { // closing the body would read it
		<-hold
	} else if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return 0
	}
	return resp.StatusCode
}

// wantStatuses fails the test if a response had another status, and returns the number of responses by status.
func (c *clientGroup) wantStatuses(t *testing.T, statuses ...int) map[int]int {
	t.Helper()
	wait(t, c.ended, "the clients got no response")
	c.mu.Lock()
	defer c.mu.Unlock()
	for status := range c.statuses {
		if !slices.Contains(statuses, status) {
			t.Errorf("statuses %v, want only %v", c.statuses, statuses)
		}
	}
	return c.statuses
}

// wait fails the test if a channel is not closed before a timeout.
func wait(t *testing.T, done <-chan struct{}, otherwise string) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(2 * timeout):
		t.Fatal(otherwise)
	}
}

// wantServing sends queries of another caller during an attack, until done is closed: each of them must succeed.
func (g *gateway) wantServing(t *testing.T, done <-chan struct{}) {
	t.Helper()
	const minimum = 20
	token := g.caller("bystander")
	for i := 0; ; i++ {
		g.wantRow(t, row{name: "bystander", send: post(good, "Authorization: Bearer "+token), status: http.StatusOK})
		select {
		case <-done:
			if i >= minimum {
				return
			}
		default:
			if t.Failed() {
				return
			}
		}
	}
}
