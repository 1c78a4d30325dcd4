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

// reply is what was answered.
type reply struct {
	status int
	header http.Header
	head   string // the header as text
	body   string
}

// request sends something to a gateway.
type request func(*testing.T, *gateway) reply

// post sends a body of JSON to /graphql as a client does that knows the specification. Header lines replace the usual
// ones; a line without a value takes one away.
func post(body string, lines ...string) request {
	return method(http.MethodPost, "/graphql", body, append([]string{"Content-Type: application/json"}, lines...)...)
}

// query posts a document.
func query(document string, lines ...string) request { return operation(document, "", lines...) }

// operation posts a document and its variables, a text of JSON.
func operation(document, variables string, lines ...string) request {
	body := `{"query":` + quote(document)
	if variables != "" {
		body += `,"variables":` + variables
	}
	return post(body+"}", lines...)
}

// quote is a text in JSON, in which the words of a gateway can still be found.
func quote(text string) string {
	var quoted bytes.Buffer
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		panic(err) // a text always has a form in JSON
	}
	return strings.TrimSpace(quoted.String())
}

// aliases selects a field so many times.
func aliases(n int, field string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " a%d: %s", i, field)
	}
	return b.String()
}

// asked is a document as the body of a request.
func asked(document string) string { return `{"query":` + quote(document) + `}` }

// get sends a URL's query, as it is written.
func get(rawQuery string, lines ...string) request {
	return method(http.MethodGet, "/graphql?"+rawQuery, "", lines...)
}

// escape is url.QueryEscape that leaves the words of a gateway be.
func escape(text string) string {
	return strings.NewReplacer("%3C", "<", "%3E", ">").Replace(url.QueryEscape(text))
}

// method sends any request that net/http can express.
func method(method, target, body string, lines ...string) request {
	return func(t *testing.T, g *gateway) reply {
		t.Helper()
		req, err := http.NewRequest(method, "http://"+g.address+g.words.Replace(target), strings.NewReader(g.words.Replace(body)))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+g.token)
		req.Header.Set("Accept", "application/graphql-response+json")
		for _, line := range lines {
			name, value, _ := strings.Cut(line, ":")
			if value = g.words.Replace(strings.TrimSpace(value)); value == "" {
				req.Header.Del(name)
				continue
			}
			req.Header.Set(name, value)
		}
		resp, err := g.client.Do(req)
		for tries := 0; tries < 5 && (errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)) && req.GetBody != nil; tries++ {
			// A server that answers without reading a large body ends the connection soon after; on a busy machine that
			// can be before the client looks for the answer.
			req.Body, _ = req.GetBody()
			resp, err = g.client.Do(req)
		}
		if err != nil {
			t.Fatal(err)
		}
		return read(t, resp)
	}
}

// read reads an answer to its end.
func read(t *testing.T, resp *http.Response) reply {
	t.Helper()
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil && (resp.ContentLength >= 0 || !errors.Is(err, syscall.ECONNRESET)) { // which ends it when the request was not read
		t.Fatal(err)
	}
	var head bytes.Buffer
	_ = resp.Header.Write(&head)
	return reply{status: resp.StatusCode, header: resp.Header, head: head.String(), body: string(body)}
}

// raw sends bytes over a connection of their own and reads the first answer.
func raw(text string) request {
	return func(t *testing.T, g *gateway) reply {
		t.Helper()
		conn := dial(t, g)
		send(conn, g.words.Replace(text))
		return receive(t, bufio.NewReader(conn))
	}
}

// ends is raw, and fails unless that one answer is all before the server closes the connection.
func ends(text string) request {
	return func(t *testing.T, g *gateway) reply {
		t.Helper()
		conn := dial(t, g)
		send(conn, g.words.Replace(text))
		from := bufio.NewReader(conn)
		got := receive(t, from)
		if _, err := from.ReadByte(); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the connection lives on: %v", err)
		}
		return got
	}
}

// dial opens a connection that fails sooner or later instead of waiting for ever.
func dial(t *testing.T, g *gateway) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", g.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return conn.(*net.TCPConn)
}

// send writes bytes. The server may close the connection before it has them all, which shows in its answer.
func send(conn io.Writer, text string) { _, _ = io.WriteString(conn, text) }

// receive reads an answer from a connection; its status is 0 when that is closed without one.
func receive(t *testing.T, from *bufio.Reader) reply {
	t.Helper()
	resp, err := http.ReadResponse(from, nil)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal("neither an answer nor an end")
	}
	if err != nil {
		return reply{header: http.Header{}}
	}
	return read(t, resp)
}
