package mcp_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pixgraph/internal/leaktest"
	"pixgraph/test/gatewaytest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

type (
	options = gatewaytest.Options
	object  = map[string]any
)

// gateway is a running gateway that serves assistants.
type gateway struct{ *gatewaytest.Gateway }

func start(t testing.TB, changes ...func(*options)) *gateway {
	t.Helper()
	return &gateway{gatewaytest.Start(t, append([]func(*options){func(o *options) {
		o.Serve.Assistants, o.Serve.PublicURL, o.Serve.LogOneIn = true, "https://pay.example.com", 1
	}}, changes...)...)}
}

// bearer adds a token to requests.
type bearer struct {
	token string
	next  http.RoundTripper
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.next.RoundTrip(r)
}

// connect connects the SDK's client, with a token.
func (g *gateway) connect(token string) (*mcp.ClientSession, error) {
	transport := &mcp.StreamableClientTransport{
		Endpoint: g.URL + "/mcp", HTTPClient: &http.Client{Transport: bearer{token, g.HTTP.Transport}}, MaxRetries: -1,
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(g.T.Context(), transport, nil)
	if err == nil {
		g.T.Cleanup(func() { _ = session.Close() })
	}
	return session, err
}

// assistant is a connected client.
type assistant struct {
	*mcp.ClientSession
	t testing.TB
}

func (g *gateway) assistant() assistant {
	g.T.Helper()
	session, err := g.connect(g.Token)
	must(g.T, err)
	return assistant{session, g.T}
}

// result is the parsed result of a tool.
type result struct {
	text     string
	isError  bool
	Data     object
	Problems []struct {
		Code, Message, Path string
		RetryAfterMS        int64
	}
	Shortened []struct {
		List    string
		Omitted int
	}
	Note string
}

func (a assistant) call(tool string, arguments object) result {
	a.t.Helper()
	called, err := a.CallTool(context.WithoutCancel(a.t.Context()), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	must(a.t, err)
	if len(called.Content) != 1 || called.StructuredContent != nil {
		a.t.Fatalf("%s: %d contents, structured %v", tool, len(called.Content), called.StructuredContent)
	}
	content, ok := called.Content[0].(*mcp.TextContent)
	if !ok {
		a.t.Fatalf("%s: %T", tool, called.Content[0])
	}
	r := result{text: content.Text, isError: called.IsError}
	must(a.t, json.Unmarshal([]byte(content.Text), &r))
	return r
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func mustConnect(t testing.TB, g *gateway, token string) *mcp.ClientSession {
	t.Helper()
	session, err := g.connect(token)
	must(t, err)
	return session
}

// wantNoMemory fails the test unless every operation has ended, and released its memory.
func (g *gateway) wantNoMemory() {
	g.T.Helper()
	synctest.Wait()
	if held := g.Handler.Stats().MemoryHeld; held != 0 {
		g.T.Errorf("%d bytes are charged", held)
	}
}
