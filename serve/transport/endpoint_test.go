package transport_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/apierror"
	"pixgraph/internal/leaktest"
	"pixgraph/internal/memnet"
	"pixgraph/request"
	"pixgraph/serve/run"
	"pixgraph/serve/run/runtest"
	"pixgraph/serve/transport"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const (
	graphqlType = "application/graphql-response+json"
	jsonType    = "application/json"
)

// schema is a schema whose root fields determine the response; see Exec.
type schema struct {
	parsed *ast.Schema
	big    []byte // the data of the field big
}

func newSchema(t testing.TB) schema {
	t.Helper()
	parsed, err := gqlparser.LoadSchema(&ast.Source{Name: "schema", Input: `
		scalar JSON
		enum Colour { RED GREEN }
		input Filter { amount: Int, colour: Colour, texts: [String!] }
		type Query {
			ok: String partial: String nulled: String! broken: String panics: String waits: String many: String
			refused: String spaced: String big: String extended: String nothing: String
			echo(filter: Filter, any: JSON, n: Int, id: ID): String
		}
		type Mutation { change: String }
		type Subscription { events: String }
	`})
	must(t, err)
	// Records have text that can be compressed and ids that cannot.
	random := rand.NewChaCha8([32]byte{})
	big := []byte(`{"big":[`)
	for len(big) < 300_000 {
		big = fmt.Appendf(big, `{"id":"%016x%016x","amount":%d,"status":"PAID","note":"<a & b>"},`,
			random.Uint64(), random.Uint64(), random.Uint64()%10_000_000)
	}
	return schema{parsed, append(big[:len(big)-1], `]}`...)}
}

func (s schema) Schema() *ast.Schema { return s.parsed }

func (s schema) Complexity(context.Context, string, string, int, map[string]any) (int, bool) {
	return 0, false
}

// Exec executes the first field of the operation.
func (s schema) Exec(context.Context) graphql.ResponseHandler {
	return func(ctx context.Context) *graphql.Response {
		operation := graphql.GetOperationContext(ctx)
		field, ok := operation.Operation.SelectionSet[0].(*ast.Field)
		if !ok {
			return &graphql.Response{Data: []byte(`{}`)}
		}
		switch field.Name {
		case "partial":
			graphql.AddError(ctx, gqlerror.ErrorPathf(ast.Path{ast.PathName("partial")}, "a <part> failed"))
			return &graphql.Response{Data: []byte(`{"partial":null}`)}
		case "nulled":
			graphql.AddError(ctx, gqlerror.ErrorPathf(ast.Path{ast.PathName("nulled")}, "nulled"))
			return &graphql.Response{Data: []byte(`null`)}
		case "broken":
			list := gqlerror.List{nil, {Message: "no JSON", Extensions: map[string]any{"x": func() {}}}}
			return &graphql.Response{Data: []byte(`{"broken":null}`), Errors: list, Extensions: map[string]any{"x": func() {}}}
		case "panics":
			panic("canary")
		case "waits":
			<-ctx.Done()
			return &graphql.Response{Data: []byte(`{"waits":null}`)}
		case "many":
			for range 1000 {
				graphql.AddError(ctx, errors.New("one of many"))
			}
			return &graphql.Response{Data: []byte(`{"many":null}`)}
		case "refused":
			return graphql.ErrorResponse(ctx, "refused late")
		case "spaced":
			return &graphql.Response{Data: []byte("{ \"spaced\" :\n\"<&>\" }")}
		case "big":
			return &graphql.Response{Data: slices.Clone(s.big)}
		case "extended":
			graphql.RegisterExtension(ctx, "cost", map[string]any{"calls": 3})
			return &graphql.Response{Data: []byte(`{"extended":null}`)}
		case "nothing":
			return nil
		case "echo":
			text, _ := json.Marshal(map[string]any{
				"variables": operation.Variables, "extensions": operation.Extensions,
			})
			return &graphql.Response{Data: text}
		default:
			return &graphql.Response{Data: []byte(`{"` + field.Alias + `":"fine"}`)}
		}
	}
}

// endpoint is a server with the transport and the schema, on a network in memory.
type endpoint struct {
	t       testing.TB
	url     string
	network *memnet.Network
	client  *http.Client
}

func start(t testing.TB, config run.Config, extensions ...graphql.HandlerExtension) endpoint {
	t.Helper()
	return serve(t, newHandler(t, config, nil, extensions...))
}

func newHandler(t testing.TB, config run.Config, download transport.Download, extensions ...graphql.HandlerExtension) http.Handler {
	t.Helper()
	return handlerOf(t, runtest.New(newSchema(t), extensions...), config, download)
}

func handlerOf(t testing.TB, gateway run.Gateway, config run.Config, download transport.Download) http.Handler {
	t.Helper()
	runner, err := run.New(gateway, config)
	must(t, err)
	served := transport.New(runner, download)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, call := request.New(r.Context())
		served.Serve(ctx, call, w, r)
	})
}

func serve(t testing.TB, h http.Handler) endpoint {
	t.Helper()
	network := &memnet.Network{}
	return endpoint{t, network.Serve(t, h), network, network.Client(t)}
}

// reply is the response of an endpoint.
type reply struct {
	t      testing.TB
	status int
	header http.Header
	body   string
}

// send sends a request; header is "Name: value" lines. A Content-Type of JSON is set unless header has one.
func (e endpoint) send(method, target, body string, header ...string) reply {
	e.t.Helper()
	req, err := http.NewRequest(method, e.url+target, strings.NewReader(body))
	must(e.t, err)
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		req.Header.Del(name)
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	resp, err := e.client.Transport.RoundTrip(req)
	must(e.t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	must(e.t, err)
	return reply{e.t, resp.StatusCode, resp.Header, string(text)}
}

// plain prevents that Go's client requests gzip.
const plain = "Accept-Encoding: identity"

func (e endpoint) post(body string, header ...string) reply {
	e.t.Helper()
	return e.send(http.MethodPost, "", body, append([]string{plain}, header...)...)
}

func (e endpoint) get(parameters url.Values, header ...string) reply {
	e.t.Helper()
	return e.send(http.MethodGet, "?"+parameters.Encode(), "", append([]string{plain}, header...)...)
}

// query posts a document.
func (e endpoint) query(document string, header ...string) reply {
	e.t.Helper()
	body, err := json.Marshal(map[string]string{"query": document})
	must(e.t, err)
	return e.post(string(body), header...)
}

// wantBody fails the test unless the response has the status and the body.
func (r reply) wantBody(status int, body string) {
	r.t.Helper()
	if r.status != status || r.body != body {
		r.t.Errorf("got  %d %.300s\nwant %d %s", r.status, r.body, status, body)
	}
}

// wantError fails the test unless the response has the status, no data, and the code in its first error.
func (r reply) wantError(status int, code apierror.Code) {
	r.t.Helper()
	var envelope struct {
		Data   *json.RawMessage
		Errors []struct {
			Message    string
			Extensions map[string]any
		}
	}
	decoder := json.NewDecoder(strings.NewReader(r.body))
	if err := decoder.Decode(&envelope); err != nil || len(envelope.Errors) == 0 {
		r.t.Fatalf("no errors in %d %q: %v", r.status, r.body, err)
	}
	if strings.Contains(r.body, `"data"`) {
		r.t.Errorf("unexpected data in %s", r.body)
	}
	first := envelope.Errors[0]
	if r.status != status || first.Extensions["code"] != string(code) || first.Message == "" {
		r.t.Errorf("got %d %s, want %d %s", r.status, r.body, status, code)
	}
}

// wantHeader fails the test unless the header has exactly the value; no header if that is empty.
func (r reply) wantHeader(name, value string) {
	r.t.Helper()
	if got := strings.Join(r.header.Values(name), " + "); got != value {
		r.t.Errorf("%s is %q, want %q", name, got, value)
	}
}

// compact is JSON without space.
func compact(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	must(t, json.Compact(&out, []byte(text)))
	return out.String()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
