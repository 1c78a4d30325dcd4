package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"slices"

	"pixgraph/graph/apierror"
	"pixgraph/graph/transport/message"
	"pixgraph/graph/transport/run"
)

// maxBody bounds a request, in bytes: the longest argument has 1 KiB, the rest is what clients say about themselves.
const maxBody = 32 << 10

// methodCall is the method that calls a tool.
const methodCall = "tools/call"

// served are the methods that are answered. Others would need a session, or a stream that never ends.
var served = []string{"initialize", "server/discover", "ping", "tools/list", methodCall}

// Headers returns the request headers of the protocol, which pages of allowed origins may send.
func Headers() []string {
	return []string{"mcp-protocol-version", "mcp-session-id", "mcp-method", "mcp-name", "last-event-id"}
}

// rpc is a request of JSON-RPC. The SDK gets it as it is encoded again, so it reads what was checked.
type rpc struct {
	Version string `json:"jsonrpc"`
	ID      any    `json:"id"` // a string or a number; nil for a notification
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"`
}

func (m rpc) isServed() bool { return slices.Contains(served, m.Method) }

var (
	errMethod = &apierror.Error{
		Status: http.StatusMethodNotAllowed, Code: apierror.BadRequest, Header: map[string]string{"Allow": "POST"},
		Message: "method not allowed: the protocol is served without sessions, by POST",
	}
	errOrigin   = &apierror.Error{Status: http.StatusForbidden, Code: apierror.Forbidden, Message: "the origin of the page is not allowed"}
	errProtocol = &apierror.Error{Status: http.StatusBadRequest, Code: apierror.BadRequest, Message: "the request is not one of JSON-RPC 2.0"}
)

// stateless is the first revision of the protocol without sessions, in which an unknown method is not found.
const stateless = "2026-07-28"

func unknownMethod(r *http.Request) *apierror.Error {
	refused := &apierror.Error{Status: http.StatusOK, Code: apierror.NotFound, Message: "method not found"}
	if r.Header.Get("Mcp-Protocol-Version") >= stateless {
		refused.Status = http.StatusNotFound
	}
	return refused
}

// read reads a request within all bounds. With an error, it returns what is known of the request.
func (t *Transport) read(r *http.Request) (m rpc, refused *apierror.Error) {
	if r.Method != http.MethodPost {
		return m, errMethod
	}
	if t.protection.Check(r) != nil && !t.config.Allows(r) {
		return m, errOrigin
	}
	object, err := message.ReadObject(r, min(maxBody, t.runner.MaxBody), t.runner.Account(r.Context()), t.runner.Turn)
	if err != nil {
		return m, cmp.Or(apierror.Of(err), run.ErrInternal)
	}
	m.Version, _ = object["jsonrpc"].(string)
	m.Method, _ = object["method"].(string)
	m.Params = object["params"]
	switch object["id"].(type) {
	case string, json.Number:
		m.ID = object["id"]
	case nil:
	default:
		return m, errProtocol
	}
	if _, isObject := m.Params.(map[string]any); m.Version != "2.0" || m.Params != nil && !isObject {
		return m, errProtocol
	}
	return m, nil
}

// codes are the codes of JSON-RPC for errors without a result.
var codes = map[apierror.Code]int{apierror.NotFound: -32601, apierror.BadRequest: -32600}

// serverError is the code of all other errors.
const serverError = -32000

// response keeps what the SDK answers until it has ended: a client that reads slowly holds no slot.
type response struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (o *response) Header() http.Header { return o.header }

// WriteHeader implements http.ResponseWriter.
func (o *response) WriteHeader(status int) { o.status = cmp.Or(o.status, status) }

// Write implements http.ResponseWriter.
func (o *response) Write(p []byte) (int, error) { return o.body.Write(p) }

// refuse answers a request that the SDK does not see.
func (o *response) refuse(refused *apierror.Error, id any) { writeError(o, refused, id) }

func writeError(w http.ResponseWriter, refused *apierror.Error, id any) {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{
		"code": cmp.Or(codes[refused.Code], serverError), "message": refused.Message,
	}})
	if err != nil {
		panic(err) // texts and a number can always be encoded
	}
	refused.WriteHeader(w.Header())
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(cmp.Or(refused.Status, http.StatusBadRequest))
	_, _ = w.Write(body)
}

// send sends the response. It belongs to its caller, so nothing else may keep it.
func (o *response) send(w http.ResponseWriter) {
	for name, values := range o.header {
		w.Header()[name] = values
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(cmp.Or(o.status, http.StatusOK))
	_, _ = w.Write(o.body.Bytes())
}
