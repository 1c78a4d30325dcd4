package persisted_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/apierror"
	"pixgraph/graph/guard/persisted"
	"pixgraph/internal/leaktest"
	"pixgraph/request"
	"pixgraph/serve/run"
	"pixgraph/serve/run/runtest"
	"pixgraph/serve/transport"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// echo is a schema whose operations return their own text and variables, which shows which operation ran.
type echo struct{ schema *ast.Schema }

func newEcho() echo {
	return echo{gqlparser.MustLoadSchema(&ast.Source{Input: `
		type Query { name: String find(id: ID!): String }
		type Mutation { rename: String }
	`})}
}

func (e echo) Schema() *ast.Schema { return e.schema }

func (e echo) Complexity(context.Context, string, string, int, map[string]any) (int, bool) {
	return 0, false
}

func (e echo) Exec(ctx context.Context) graphql.ResponseHandler {
	operation := graphql.GetOperationContext(ctx)
	data, err := json.Marshal(map[string]any{"ran": operation.RawQuery, "variables": operation.Variables})
	if err != nil {
		panic(err)
	}
	return graphql.OneShot(&graphql.Response{Data: data})
}

// server is the gateway's transport with Documents. called is called with each call; nil for nothing.
type server struct {
	t       testing.TB
	handler *transport.Transport
	called  func(*request.Call)
}

// maxTokens is the limit of tokens of the gateway.
const maxTokens = 1000

func serve(t testing.TB, config persisted.Config, others ...graphql.HandlerExtension) server {
	t.Helper()
	schema := newEcho()
	config.Schema, config.MaxTokens = schema.schema, maxTokens
	documents, err := persisted.New(config)
	must(t, err)
	t.Cleanup(documents.Close)
	gateway := runtest.New(schema, append([]graphql.HandlerExtension{extension{documents}}, others...)...)
	gateway.SetParserTokenLimit(maxTokens)
	gateway.SetQueryCache(lru.New[*ast.QueryDocument](100))
	runner, err := run.New(gateway, run.Config{})
	must(t, err)
	return server{t, transport.New(runner, nil), nil}
}

// extension lets gqlgen's executor call the documents, as package serve does.
type extension struct{ *persisted.Documents }

func (extension) ExtensionName() string                   { return "Documents" }
func (extension) Validate(graphql.ExecutableSchema) error { return nil }

func (e extension) MutateOperationParameters(ctx context.Context, params *graphql.RawParams) *gqlerror.Error {
	if err := e.Resolve(request.CallOf(ctx), params); err != nil {
		return apierror.Of(err).Wrap()
	}
	return nil
}

func (e extension) InterceptOperation(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
	e.Register(request.CallOf(ctx))
	return next(ctx)
}

// reply is the response to a request: the document that ran, or the error.
type reply struct {
	status    int
	ran       string
	variables map[string]any
	code      string
	message   string
}

func (s server) post(body string) reply {
	s.t.Helper()
	req := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	return s.send(req)
}

func (s server) get(parameters url.Values) reply {
	s.t.Helper()
	return s.send(httptest.NewRequest(http.MethodGet, "/?"+parameters.Encode(), nil))
}

func (s server) send(req *http.Request) reply {
	s.t.Helper()
	recorder := httptest.NewRecorder()
	ctx, call := request.New(req.Context())
	s.handler.Serve(ctx, call, recorder, req)
	if s.called != nil {
		s.called(call)
	}
	var body struct {
		Data struct {
			Ran       string
			Variables map[string]any
		}
		Errors []struct {
			Message    string
			Extensions struct{ Code string }
		}
	}
	if err := json.Unmarshal(recorder.Body.Bytes(), &body); err != nil {
		s.t.Fatalf("%v: %s", err, recorder.Body)
	}
	r := reply{status: recorder.Code, ran: body.Data.Ran, variables: body.Data.Variables}
	if len(body.Errors) > 0 {
		r.code, r.message = body.Errors[0].Extensions.Code, body.Errors[0].Message
	}
	return r
}

// hashed is a request by hash, with the document unless that is empty.
func hashed(hash, document string) string {
	request := map[string]any{
		"extensions": map[string]any{"persistedQuery": map[string]any{"version": 1, "sha256Hash": hash}},
	}
	if document != "" {
		request["query"] = document
	}
	return encode(request)
}

func sent(document string) string { return encode(map[string]any{"query": document}) }

func encode(value any) string {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func hashOf(document string) string {
	sum := sha256.Sum256([]byte(document))
	return hex.EncodeToString(sum[:])
}

// register registers a document.
func (s server) register(document string) {
	s.t.Helper()
	if r := s.post(hashed(hashOf(document), document)); r.ran != document {
		s.t.Fatalf("registration of %q: %+v", document, r)
	}
}

// known reports whether a document runs by its hash alone.
func (s server) known(document string) bool {
	s.t.Helper()
	r := s.post(hashed(hashOf(document), ""))
	if r.ran != document && r.code != string(apierror.PersistedNotFound) {
		s.t.Fatalf("%q by its hash: %+v", document, r)
	}
	return r.ran == document
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
