package serve

import (
	"context"
	"net/http"
	"path"
	"runtime"
	"strings"

	"pixgraph/auth"
	"pixgraph/graph/apierror"
	"pixgraph/request"
	"pixgraph/serve/cors"
	"pixgraph/serve/envelope"
	"pixgraph/serve/run"
	"pixgraph/serve/transport"
	"pixgraph/serve/websocket"
)

// ServeHTTP implements http.Handler: what every request passes, before what serves its path.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	runtime.Gosched() // the client may send requests without a pause
	ctx, call := request.New(r.Context())
	identify(call, w, r)
	transport.SetSecurityHeaders(w.Header())
	if len(r.TransferEncoding) > 0 {
		// The request may also have had a Content-Length, which net/http hides, so the data after the chunked body may
		// be smuggled (RFC 9112, section 6.1).
		w.Header().Set("Connection", "close")
	}
	switch p := r.URL.Path; {
	case p == auth.GraphQLPath, p == auth.GraphQLPath+"/" && strings.HasSuffix(r.URL.EscapedPath(), "/"): // not %2F
		g.serve(ctx, call, w, r, &g.operations)
	case p == auth.AssistantsPath && g.assistants != nil:
		g.serve(ctx, call, w, r, &g.tools)
	case p != "/" && p != "" && path.Clean(p) != strings.TrimSuffix(p, "/"): // the mux would redirect and repeat the path
		notFound(w, r.WithContext(ctx))
	default:
		g.mux.ServeHTTP(w, r.WithContext(ctx))
	}
}

// endpoint is what differs between the paths of operations.
type endpoint struct {
	pages      cors.CORS // of other origins
	at         resources
	webSockets bool
	transport  func(context.Context, *request.Call, http.ResponseWriter, *http.Request)
}

// serve calls the steps of a request until a transport has it. A WebSocket is opened without authentication: a browser
// cannot set its headers, so the token is in the first message.
func (g *Gateway) serve(ctx context.Context, call *request.Call, w http.ResponseWriter, r *http.Request, e *endpoint) {
	defer g.recoverPanic(ctx, w, r)
	if e.pages.Answer(w, r) {
		return
	}
	opens := e.webSockets && websocket.IsUpgrade(r)
	if !opens && !g.authenticate(call, w, r, e.at) {
		return
	}
	defer func() { call.Account.Release() }()
	if !g.readLimits(call, w, r) {
		return
	}
	if opens {
		g.webSockets.Serve(ctx, call, w, r)
		return
	}
	e.transport(ctx, call, w, r)
}

// recoverPanic recovers from a panic outside of a transport, which recovers itself.
func (g *Gateway) recoverPanic(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	if panicked := recover(); panicked != nil {
		envelope.WriteError(w, r, run.ErrInternal, g.Recover(ctx, panicked))
	}
}

// notFound responds to a request for a path that the gateway does not serve. It does not repeat the path, which may
// have a token.
func notFound(w http.ResponseWriter, r *http.Request) {
	refuse(request.CallOf(r.Context()), w, r, &apierror.Error{
		Status: http.StatusNotFound, Code: apierror.BadRequest, Message: "nothing is served at this path: the GraphQL endpoint is " + auth.GraphQLPath,
	})
}

// unrouted responds to a request that no other pattern of a mux matches. Those with a method are all for GET.
func unrouted(mux *http.ServeMux) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		other := *r
		other.Method = http.MethodGet
		if _, pattern := mux.Handler(&other); pattern == "/" {
			notFound(w, r)
			return
		}
		refuse(request.CallOf(r.Context()), w, r, &apierror.Error{
			Status: http.StatusMethodNotAllowed, Code: apierror.BadRequest, Header: map[string]string{"Allow": "GET, HEAD"},
			Message: "this path is for GET only: the GraphQL endpoint is " + auth.GraphQLPath,
		})
	}
}

// sdl serves the schema in the schema definition language.
func sdl(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte(text))
	}
}
