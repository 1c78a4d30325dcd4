package transport_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/apierror"
	"pixgraph/serve/envelope"
	"pixgraph/serve/run"
	"pixgraph/serve/run/runtest"
)

// TestStatus: the status depends on the media type and on the step that fails, and not on the method.
func TestStatus(t *testing.T) {
	e := start(t, run.Config{})
	tests := []struct {
		name, document  string
		graphql, legacy int
		body            string // empty if wantError suffices
		code            apierror.Code
	}{
		{"a query", `{ ok }`, 200, 200, `{"data":{"ok":"fine"}}`, ""},
		{"partial data", `{ partial }`, 200, 200, `{"errors":[{"message":"a <part> failed","path":["partial"]}],"data":{"partial":null}}`, ""},
		{"nulled by execution", `{ nulled }`, 200, 200, `{"errors":[{"message":"nulled","path":["nulled"]}],"data":null}`, ""},
		{"invalid syntax", `{`, 400, 200, "", "GRAPHQL_PARSE_FAILED"},
		{"empty document", ``, 400, 200, "", "GRAPHQL_VALIDATION_FAILED"},
		{"unknown field", `{ nope }`, 400, 200, "", "GRAPHQL_VALIDATION_FAILED"},
		{"missing variable", `query($f: Filter!) { echo(filter: $f) }`, 400, 200, "", "GRAPHQL_VALIDATION_FAILED"},
		{"a directive of another specification", `{ ... @defer { ok } }`, 200, 200, `{"data":{}}`, ""},
		{"several operations", `query A { ok } query B { ok }`, 400, 200, "", "GRAPHQL_VALIDATION_FAILED"},
		{"subscription", `subscription { events }`, 400, 200, "", "BAD_REQUEST"},
		{"mutation", `mutation { change }`, 200, 200, `{"data":{"change":"fine"}}`, ""},
		{"errors that are not JSON", `{ broken }`, 200, 200, `{"errors":[{"message":"internal error","extensions":{"code":"INTERNAL"}},` +
			`{"message":"internal error","extensions":{"code":"INTERNAL"}}],"data":{"broken":null}}`, ""},
		{"rejected by an interceptor", `{ refused }`, 400, 200, `{"errors":[{"message":"refused late"}]}`, ""},
		{"data with space", `{ spaced }`, 200, 200, "{\"data\":{ \"spaced\" :\n\"<&>\" }}", ""},
		{"extensions", `{ extended }`, 200, 200, `{"data":{"extended":null},"extensions":{"cost":{"calls":3}}}`, ""},
		{"no response", `{ nothing }`, 500, 500, "", "INTERNAL"},
		{"a panic", `{ panics }`, 500, 500, `{"errors":[{"message":"internal error"}]}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e.t = t
			for media, status := range map[string]int{graphqlType: tt.graphql, jsonType: tt.legacy} {
				r := e.query(tt.document, "Accept: "+media)
				if tt.body != "" {
					r.wantBody(status, tt.body)
				} else {
					r.wantError(status, tt.code)
				}
				r.wantHeader("Content-Type", media+"; charset=utf-8")
				r.wantHeader("Cache-Control", "no-store")
				r.wantHeader("Vary", "")
				r.wantHeader("Server", "")
				if tt.name != "subscription" && tt.name != "mutation" {
					get := e.get(url.Values{"query": {tt.document}}, "Accept: "+media)
					get.wantBody(r.status, r.body)
					get.wantHeader("Content-Type", media+"; charset=utf-8")
				}
			}
		})
	}
}

// TestTooManyErrors: the number of errors of a response is bounded, before and after execution.
func TestTooManyErrors(t *testing.T) {
	presented := 0
	e := serve(t, handlerOf(t, presenting{runtest.New(newSchema(t)), func(err error) *gqlerror.Error {
		presented++
		own := apierror.Of(err)
		if own == nil {
			t.Errorf("presented a %T", err)
			return nil
		}
		return own.Render(nil, "")
	}}, run.Config{MaxErrors: 3}, nil))
	const last = `{"message":"too many errors for one response",` +
		`"extensions":{"code":"LIMIT_EXCEEDED","limit":"errors","retryable":false,"value":3}}]`
	for _, document := range []string{`{ many }`, `{ ok ` + strings.Repeat("@a ", 500) + `}`} {
		r := e.query(document)
		if got := strings.Count(r.body, `{"message":`); got != 4 || !strings.Contains(r.body, last) {
			t.Errorf("%d errors in %s", got, r.body)
		}
	}
	if presented != 2 {
		t.Errorf("presented %d errors", presented)
	}
}

// presenting is a gateway with a presenter of errors.
type presenting struct {
	runtest.Gateway
	present func(error) *gqlerror.Error
}

func (p presenting) Present(_ context.Context, err error) *gqlerror.Error { return p.present(err) }

// rejecter rejects every operation, as a limit does.
type rejecter struct{ err error }

func (rejecter) ExtensionName() string                   { return "Rejecter" }
func (rejecter) Validate(graphql.ExecutableSchema) error { return nil }
func (r rejecter) MutateOperationParameters(context.Context, *graphql.RawParams) *gqlerror.Error {
	return gqlerror.Wrap(r.err)
}

// TestRejection: an error of an extension determines the status and the headers.
func TestRejection(t *testing.T) {
	slow := &apierror.Error{Code: apierror.RateLimited, Message: "slow down", Status: http.StatusTooManyRequests, RetryAfter: 7 * time.Second}
	for _, media := range []string{graphqlType, jsonType} {
		r := start(t, run.Config{}, rejecter{slow}).query(`{ ok }`, "Accept: "+media)
		r.wantBody(429, `{"errors":[{"message":"slow down"}]}`)
		r.wantHeader("Retry-After", "7")
	}
	for media, status := range map[string]int{graphqlType: 400, jsonType: 200} {
		start(t, run.Config{}, rejecter{errors.New("other")}).query(`{ ok }`, "Accept: "+media).wantBody(status, `{"errors":[{"message":"other"}]}`)
	}
}

// TestClientDisconnects: there is no response to a client that has disconnected.
func TestClientDisconnects(t *testing.T) {
	h := newHandler(t, run.Config{}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	req := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader(`{"query":"{ waits }"}`))
	req.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	done := make(chan struct{})
	go func() { h.ServeHTTP(recorder, req); close(done) }()
	cancel()
	<-done
	if recorder.Code != http.StatusServiceUnavailable || recorder.Body.Len() != 0 {
		t.Errorf("response %d %s", recorder.Code, recorder.Body)
	}
}

// TestWriteError: errors before the transport have the same form.
func TestWriteError(t *testing.T) {
	e := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rejected := &apierror.Error{Status: http.StatusUnauthorized, Message: "no token"}
		envelope.WriteError(w, r, rejected, &gqlerror.Error{Message: rejected.Message})
	}))
	for accept, media := range map[string]string{"*/*": jsonType, graphqlType: graphqlType, "text/html": jsonType} {
		r := e.query(`{ ok }`, "Accept: "+accept)
		r.wantBody(401, `{"errors":[{"message":"no token"}]}`)
		r.wantHeader("Content-Type", media+"; charset=utf-8")
		r.wantHeader("Cache-Control", "no-store")
		r.wantHeader("Vary", "")
	}
}
