package hostile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// good is the body of a normal query.
const good = `{"query":"{ deposits { totalCount } }"}`

// reply is a response.
type reply struct {
	status int
	header http.Header
	head   string // the header as text
	body   string
}

// request sends a request to a gateway.
type request func(*testing.T, *gateway) reply

// post sends a JSON body to /graphql like a client that implements the specification. The header lines override the
// default ones; a line without a value removes one.
func post(body string, lines ...string) request {
	return method(http.MethodPost, "/graphql", body, append([]string{"Content-Type: application/json"}, lines...)...)
}

// query posts a document.
func query(document string, lines ...string) request { return operation(document, "", lines...) }

// operation posts a document and its variables as JSON.
func operation(document, variables string, lines ...string) request {
	body := `{"query":` + quote(document)
	if variables != "" {
		body += `,"variables":` + variables
	}
	return post(body+"}", lines...)
}

// quote is a string in JSON, without escapes of the placeholders.
func quote(text string) string {
	var quoted bytes.Buffer
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		panic(err) // JSON can encode every string
	}
	return strings.TrimSpace(quoted.String())
}

// aliases selects a field n times.
func aliases(n int, field string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " a%d: %s", i, field)
	}
	return b.String()
}

// asked is a request body with a document.
func asked(document string) string { return `{"query":` + quote(document) + `}` }

// get sends a GET with an unescaped query string.
func get(rawQuery string, lines ...string) request {
	return method(http.MethodGet, "/graphql?"+rawQuery, "", lines...)
}

// escape is url.QueryEscape without escapes of the placeholders.
func escape(text string) string {
	return strings.NewReplacer("%3C", "<", "%3E", ">").Replace(url.QueryEscape(text))
}

// method sends any request that net/http can express.
func method(method, target, body string, lines ...string) request {
	return func(t *testing.T, g *gateway) reply {
		t.Helper()
		req, err := http.NewRequest(method, "http://"+g.Address+g.placeholders.Replace(target), strings.NewReader(g.placeholders.Replace(body)))
		must(t, err)
		req.Header.Set("Authorization", "Bearer "+g.token)
		req.Header.Set("Accept", "application/graphql-response+json")
		for _, line := range lines {
			name, value, _ := strings.Cut(line, ":")
			if value = g.placeholders.Replace(strings.TrimSpace(value)); value == "" {
				req.Header.Del(name)
				continue
			}
			req.Header.Set(name, value)
		}
		resp, err := g.client.Do(req)
		for tries := 0; tries < 5 && (errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)) && req.GetBody != nil; tries++ {
			// A server that responds without reading a large body closes the connection soon after. On a busy machine
			// that can happen before the client reads the response.
			req.Body, _ = req.GetBody()
			resp, err = g.client.Do(req)
		}
		must(t, err)
		return read(t, resp)
	}
}

// read reads a response to its end.
func read(t *testing.T, resp *http.Response) reply {
	t.Helper()
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil && (resp.ContentLength >= 0 || !errors.Is(err, syscall.ECONNRESET)) { // the server resets the connection if it did not read the request
		t.Fatal(err)
	}
	var head bytes.Buffer
	_ = resp.Header.Write(&head)
	return reply{status: resp.StatusCode, header: resp.Header, head: head.String(), body: string(body)}
}

// raw sends bytes over its own connection and reads the first response.
func raw(text string) request {
	return func(t *testing.T, g *gateway) reply {
		t.Helper()
		conn := dial(t, g)
		send(conn, g.placeholders.Replace(text))
		return receive(t, bufio.NewReader(conn))
	}
}

// ends is raw, and fails the test if the server does not close the connection after that response.
func ends(text string) request {
	return func(t *testing.T, g *gateway) reply {
		t.Helper()
		conn := dial(t, g)
		send(conn, g.placeholders.Replace(text))
		from := bufio.NewReader(conn)
		got := receive(t, from)
		if _, err := from.ReadByte(); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the connection is still open: %v", err)
		}
		return got
	}
}

// dial opens a connection with a timeout.
func dial(t *testing.T, g *gateway) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", g.Address)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	must(t, conn.SetDeadline(time.Now().Add(timeout)))
	return conn.(*net.TCPConn)
}

// send writes bytes. The server may close the connection before it has read them all; its response shows that.
func send(conn io.Writer, text string) { _, _ = io.WriteString(conn, text) }

// receive reads a response from a connection; its status is 0 if the connection is closed without one.
func receive(t *testing.T, from *bufio.Reader) reply {
	t.Helper()
	resp, err := http.ReadResponse(from, nil)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal("neither a response nor the end of the connection")
	}
	if err != nil {
		return reply{header: http.Header{}}
	}
	return read(t, resp)
}
