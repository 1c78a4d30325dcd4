package pipeline_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pixgraph/auth"
	"pixgraph/graph/pipeline"
	"pixgraph/internal/leaktest"
	"pixgraph/upstream"
	"pixgraph/upstream/client"
	"pixgraph/upstream/sandbox"
)

// reference has the suite run with the fast path off; `make test` runs it both ways, but for the tests that compare both.
var reference = flag.Bool("reference", false, "have gqlgen write every answer")

// TestMain has more tests run in parallel than there are processors: those that say so wait for a timeout.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	leaktest.Main(m)
}

// lateness is the timeout of what is never answered. All else has to be answered within it, on a busy machine too, so it is
// long, and the tests that wait for it do so in parallel, each with a gateway that is warm before.
const lateness = 10 * time.Second

// warm has a gateway fetch the issuer's keys and connect to the APIs: what takes time once. Tests whose time counts do so
// before t.Parallel, one after the other.
func (g *gateway) warm() {
	g.t.Helper()
	g.query("query($n: ID!) { deposits(perPage: 1) { totalCount } notification(id: $n) { id } }",
		variables{"n": g.box.Ledger().Notifications()[0].ID}).ok()
	g.box.ResetCalls()
}

// gateway is a gateway over a sandbox of its own: real HTTP on both sides, real tokens through go-oidc.
type gateway struct {
	t     *testing.T
	box   *sandbox.Sandbox
	url   string
	token string // of a caller with full access
	logs  *logBuffer

	config  pipeline.Config // that it was started with
	handler *pipeline.Gateway
}

// options are what a test may change before its gateway starts.
type options struct {
	box    sandbox.Config
	auth   auth.Config
	client client.Config
	graph  pipeline.Config
}

// start starts a gateway with the settings that server.go gives one over its sandbox.
func start(t *testing.T, changes ...func(*options)) *gateway {
	t.Helper()
	o := options{
		box: sandbox.Config{Records: 240, MoveEvery: -1},
		client: client.Config{
			PageParam: "page", PerPageParam: "perPage", Timeout: patience,
			Retries: 1, Breaker: client.BreakerConfig{Percent: client.DefaultBreakerPercent}, Coalesce: true,
		},
		graph: pipeline.Config{WithoutFastPath: *reference, Introspection: true, MetadataPointer: upstream.Pointer{"notificationIds"}},
	}
	for _, change := range changes {
		change(&o)
	}
	box, err := sandbox.Start(o.box)
	must(t, err)
	t.Cleanup(func() { _ = box.Close() })

	g := &gateway{t: t, box: box, token: box.Token(), logs: &logBuffer{}}
	log := slog.New(slog.NewJSONHandler(g.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	o.auth.Log = log
	if o.auth.Mode != auth.ModeForward {
		o.auth.Issuers, o.auth.Audiences = []string{box.IssuerURL()}, []string{box.Audience()}
	}
	authenticator, err := auth.New(o.auth)
	must(t, err)
	t.Cleanup(authenticator.Close)

	o.client.CoreURL, o.client.DispatcherURL = box.CoreURL(), box.DispatcherURL()
	apis, err := client.New(o.client)
	must(t, err)
	t.Cleanup(apis.Close)

	o.graph.Client, o.graph.Authenticator, o.graph.Log = apis, authenticator, log
	g.config = o.graph
	handler, err := pipeline.New(o.graph)
	must(t, err)
	t.Cleanup(handler.Close)
	g.handler = handler
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	g.url = server.URL
	return g
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// answer is what a gateway answered.
type answer struct {
	t      *testing.T
	status int
	header http.Header
	body   []byte
	data   any
	errors []graphError
}

type graphError struct {
	Message    string         `json:"message"`
	Path       []any          `json:"path"`
	Extensions map[string]any `json:"extensions"`
}

// variables of an operation.
type variables map[string]any

// query runs an operation with full access.
func (g *gateway) query(document string, vars ...variables) answer {
	g.t.Helper()
	return g.queryAs(g.token, document, vars...)
}

// queryAs runs an operation with a token.
func (g *gateway) queryAs(token, document string, vars ...variables) answer {
	g.t.Helper()
	request := map[string]any{"query": document}
	if len(vars) > 0 {
		request["variables"] = vars[0]
	}
	body, err := json.Marshal(request)
	must(g.t, err)
	return g.post(http.Header{"Authorization": {"Bearer " + token}}, body)
}

// post sends a body to /graphql.
func (g *gateway) post(header http.Header, body []byte) answer {
	g.t.Helper()
	req, err := http.NewRequest(http.MethodPost, g.url+"/graphql", bytes.NewReader(body))
	must(g.t, err)
	req.Header = header
	req.Header.Set("Content-Type", "application/json")
	return g.send(req)
}

func (g *gateway) send(req *http.Request) answer {
	g.t.Helper()
	resp, err := http.DefaultClient.Do(req)
	must(g.t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	must(g.t, err)
	a := answer{t: g.t, status: resp.StatusCode, header: resp.Header, body: body}
	var envelope struct {
		Data   any          `json:"data"`
		Errors []graphError `json:"errors"`
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if err := decoder.Decode(&envelope); err != nil && strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") {
		g.t.Fatalf("the answer is not JSON: %v: %s", err, body)
	}
	a.data, a.errors = envelope.Data, envelope.Errors
	return a
}

// ok fails the test when the answer has errors.
func (a answer) ok() answer {
	a.t.Helper()
	if a.status != http.StatusOK || len(a.errors) > 0 {
		a.t.Fatalf("status %d, errors %v", a.status, a.errors)
	}
	return a
}

// at walks the data: names lead into objects, numbers into lists.
func (a answer) at(path ...any) any {
	a.t.Helper()
	value := a.data
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, ok := value.(map[string]any)
			if !ok {
				a.t.Fatalf("no object before %v in %v: %.500s", step, path, a.body)
			}
			value = object[step]
		case int:
			list, ok := value.([]any)
			if !ok || step >= len(list) {
				a.t.Fatalf("no element %d in %v: %.500s", step, path, a.body)
			}
			value = list[step]
		}
	}
	return value
}

// text is at for a string.
func (a answer) text(path ...any) string {
	a.t.Helper()
	text, ok := a.at(path...).(string)
	if !ok {
		a.t.Fatalf("no string at %v: %.500s", path, a.body)
	}
	return text
}

// list is at for a list.
func (a answer) list(path ...any) []any {
	a.t.Helper()
	list, ok := a.at(path...).([]any)
	if !ok {
		a.t.Fatalf("no list at %v: %.500s", path, a.body)
	}
	return list
}

// wantError fails the test unless there is exactly one error at the path, and it has the code. It returns it.
func (a answer) wantError(code string, path ...any) graphError {
	a.t.Helper()
	var at []graphError
	for _, err := range a.errors {
		if samePath(err.Path, path) {
			at = append(at, err)
		}
	}
	if len(at) != 1 || at[0].Extensions["code"] != code {
		a.t.Fatalf("want one error %s at %v, have %v in %v", code, path, at, a.errors)
	}
	return at[0]
}

// samePath compares a path that was sent, whose indexes are doubles, with one that was written in Go.
func samePath(sent, want []any) bool { return fmt.Sprint(sent) == fmt.Sprint(want) }

// calls are the upstream calls so far, as "service path?query".
func (g *gateway) calls() []string {
	var list []string
	for _, call := range g.box.Calls() {
		text := call.Service + " " + call.Path
		if call.RawQuery != "" {
			text += "?" + call.RawQuery
		}
		list = append(list, text)
	}
	return list
}

// wantCalls fails the test unless so many upstream calls were made, all with the token.
func (g *gateway) wantCalls(n int, token string) {
	g.t.Helper()
	calls := g.box.Calls()
	if len(calls) != n {
		g.t.Fatalf("%d upstream calls, want %d:\n%s", len(calls), n, strings.Join(g.calls(), "\n"))
	}
	for _, call := range calls {
		if got := call.Header.Values("Authorization"); !slices.Equal(got, []string{"Bearer " + token}) {
			g.t.Errorf("%s carried another token than the caller's", call.Path)
		}
	}
}

// transactionIDs are the ids of the first transactions of the sandbox, notificationIDs those of notifications.
func (g *gateway) transactionIDs(n int) []string {
	var ids []string
	for _, entry := range g.box.Ledger().Transactions()[:n] {
		ids = append(ids, entry.ID)
	}
	return ids
}

// logBuffer keeps what is logged.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
