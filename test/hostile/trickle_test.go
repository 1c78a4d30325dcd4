package hostile

import (
	"bufio"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// trickle sends 1,000 concurrent requests of one caller, each byte by byte: a request that is not read yet holds no
// slot of an operation, so the requests of another caller succeed between all bytes.
func trickle(t *testing.T, g *gateway) {
	const clients = 1_000
	header := strings.Replace(start, "<token>", g.caller("attacker"), 1) + "Content-Length: 39\r\n\r\n"
	conns := make([]net.Conn, clients)
	for i := range conns {
		conn, err := net.Dial("tcp", g.Address)
		must(t, err)
		defer conn.Close()
		must(t, conn.SetDeadline(time.Now().Add(2*timeout)))
		send(conn, header)
		conns[i] = conn
	}
	bystander := row{send: post(good, "Authorization: Bearer "+g.caller("bystander")), status: http.StatusOK}
	for i := range len(good) / 3 {
		for _, conn := range conns {
			send(conn, good[i:i+1])
		}
		g.wantRow(t, bystander)
	}
	// The server closes connections that take too long, at a time that depends on the machine. All other responses are
	// as expected.
	sent := len(good) / 3
	for _, conn := range conns {
		send(conn, good[sent:])
	}
	for _, conn := range conns {
		switch got := receive(t, bufio.NewReader(conn)); got.status {
		case 0, http.StatusOK, http.StatusRequestTimeout, http.StatusServiceUnavailable:
		default:
			t.Fatalf("%d %.300s", got.status, got.body)
		}
	}
}
