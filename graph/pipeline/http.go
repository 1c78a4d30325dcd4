package pipeline

import (
	"net/http"
	"path"
	"runtime"
	"strings"

	"pixgraph/auth"
	"pixgraph/graph/apierror"
	"pixgraph/graph/transport"
	"pixgraph/graph/transport/cors"
	"pixgraph/graph/transport/envelope"
	"pixgraph/graph/transport/run"
	"pixgraph/graph/transport/websocket"
	"pixgraph/request"
)

// ServeHTTP implements http.Handler: what every request passes, before the handler of its path.
//
// It handles cases in which http.ServeMux and net/http are lenient. A path that is not clean is not found: the mux
// would redirect and repeat the path. The connection of a chunked body is closed after the response: the request may
// also have had a Content-Length, which net/http hides, so the data that follows may be smuggled (RFC 9112, section
// 6.1).
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	runtime.Gosched() // the client may send requests without a pause
	ctx, call := request.New(r.Context())
	identify(call, w, r)
	r = r.WithContext(ctx)
	transport.SetSecurityHeaders(w.Header())
	if len(r.TransferEncoding) > 0 {
		w.Header().Set("Connection", "close")
	}
	if p := r.URL.Path; p != "/" && p != "" && path.Clean(p) != strings.TrimSuffix(p, "/") {
		notFound(w, r)
		return
	}
	g.mux.ServeHTTP(w, r)
}

// endpoint is a path for operations.
type endpoint struct {
	*Gateway
	pages      cors.CORS // of other origins
	at         resources
	webSockets *websocket.Transport // nil for none
	transport  func(http.ResponseWriter, *http.Request, *request.Call)
}

// ServeHTTP implements http.Handler: the steps of a request until a transport has it. A WebSocket is opened without
// authentication: a browser cannot set its headers, so the token is in the first message.
func (e endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	call := request.CallOf(r.Context())
	defer e.recoverPanic(w, r)
	if e.pages.Answer(w, r) {
		return
	}
	opens := e.webSockets != nil && websocket.IsUpgrade(r)
	if !opens && !e.authenticate(w, r, call, e.at) {
		return
	}
	defer func() { call.Account.Release() }()
	if !e.readLimits(w, r, call) {
		return
	}
	if opens {
		e.webSockets.Serve(w, r)
		return
	}
	e.transport(w, r, call)
}

// recoverPanic recovers from a panic outside of a transport, which recovers itself.
func (g *Gateway) recoverPanic(w http.ResponseWriter, r *http.Request) {
	if panicked := recover(); panicked != nil {
		envelope.WriteError(w, r, run.ErrInternal, g.Recover(r.Context(), panicked))
	}
}

// notFound responds to a request for a path that the gateway does not serve. It does not repeat the path, which may
// have a token.
func notFound(w http.ResponseWriter, r *http.Request) {
	refuse(w, r, &apierror.Error{
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
		refuse(w, r, &apierror.Error{
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
