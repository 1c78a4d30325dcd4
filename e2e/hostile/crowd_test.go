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

// caller is a token of a caller of that name, with full access.
func (g *gateway) caller(name string) string {
	return g.box.Issuer().Sign(nil, claims(g, object{"sub": name}))
}

// callers are the tokens of so many callers.
func (g *gateway) callers(n int) []string {
	tokens := make([]string, n)
	for i := range tokens {
		tokens[i] = g.caller(fmt.Sprint("attacker ", i))
	}
	return tokens
}

// crowd is many clients that ask at once.
type crowd struct {
	begun chan struct{} // closed when each has the header of its answer, or none
	ended chan struct{} // closed when each has read its answer

	mu       sync.Mutex
	statuses map[int]int // how many got each status; 0 stands for no answer
}

// gather has so many clients send a body at once, each over a connection of its own, with the tokens in turn and more
// lines of a header. They read their answers; where hold is not nil they read no more than the header, and go away when it is
// closed.
func (g *gateway) gather(n int, tokens []string, body, lines string, hold <-chan struct{}) *crowd {
	c := &crowd{begun: make(chan struct{}), ended: make(chan struct{}), statuses: map[int]int{}}
	body = g.words.Replace(body)
	var begun, ended sync.WaitGroup
	begun.Add(n)
	for i := range n {
		ended.Go(func() {
			begin := sync.OnceFunc(begun.Done)
			defer begin()
			status := ask(g.address, tokens[i%len(tokens)], body, lines, begin, hold)
			c.mu.Lock()
			defer c.mu.Unlock()
			c.statuses[status]++
		})
	}
	go func() { begun.Wait(); close(c.begun) }()
	go func() { ended.Wait(); close(c.ended) }()
	return c
}

// ask posts a body over a connection of its own, calls begun when the header of the answer is there, and returns its status;
// 0 when there is none, or not all of the answer. See gather for hold.
func ask(address, token, body, lines string, begun func(), hold <-chan struct{}) int {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return 0
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(2 * patience))
	if hold != nil {
		_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10) // what is not read stays with the gateway
	}
	send(conn, fmt.Sprintf("POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
		"%sContent-Length: %d\r\n\r\n%s", token, lines, len(body), body))
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	begun()
	if hold != nil { // the body is not closed: that would read it
		<-hold
	} else if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return 0
	}
	return resp.StatusCode
}

// wantStatuses fails the test unless all answers had one of the statuses, and returns how many had each.
func (c *crowd) wantStatuses(t *testing.T, statuses ...int) map[int]int {
	t.Helper()
	wait(t, c.ended, "the clients are not answered")
	c.mu.Lock()
	defer c.mu.Unlock()
	for status := range c.statuses {
		if !slices.Contains(statuses, status) {
			t.Errorf("statuses %v, want only %v", c.statuses, statuses)
		}
	}
	return c.statuses
}

// wait fails the test unless a channel is closed, sooner or later.
func wait(t *testing.T, done <-chan struct{}, otherwise string) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(2 * patience):
		t.Fatal(otherwise)
	}
}

// serving has another caller ask while an attack goes on, until done is closed: each of its queries must be answered.
func (g *gateway) serving(t *testing.T, done <-chan struct{}) {
	t.Helper()
	const least = 20
	token := g.caller("bystander")
	for i := 0; ; i++ {
		g.check(t, row{name: "bystander", send: post(good, "Authorization: Bearer "+token), status: http.StatusOK})
		select {
		case <-done:
			if i >= least {
				return
			}
		default:
			if t.Failed() {
				return
			}
		}
	}
}
