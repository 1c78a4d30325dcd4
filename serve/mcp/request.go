package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pixgraph/graph/apierror"
	"pixgraph/request"
	"pixgraph/serve/message"
	"pixgraph/serve/run"
)

// maxBody bounds a request, in bytes: the longest argument has 4 KiB, the rest is what clients say about themselves.
const maxBody = 32 << 10

// maxValues bounds the values in a request: clients send below 100, and the SDK takes 4 microseconds for each.
const maxValues = 250

// served are the methods that are answered. Others would need a session, or a stream that never ends.
var served = []string{"initialize", "server/discover", "ping", "tools/list", "tools/call"}

// rpc is a request of JSON-RPC. The SDK gets it as it is encoded again, so it reads what was checked.
type rpc struct {
	Version string `json:"jsonrpc"`
	ID      any    `json:"id"` // a string or an integer; nil for a notification
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"`

	revision string // of the header; "" without it
}

var (
	errPostOnly = &apierror.Error{Status: http.StatusMethodNotAllowed, Header: map[string]string{"Allow": "POST"}, Message: "there are no sessions: use POST"}
	errOrigin   = &apierror.Error{Status: http.StatusForbidden, Message: "the origin of the page is not allowed"}
	errProtocol = &apierror.Error{Status: http.StatusBadRequest, Message: "the request is not one of JSON-RPC 2.0"}
	errMethod   = &apierror.Error{Status: http.StatusNotFound, Message: "method not found"}
	errRevision = &apierror.Error{
		Status:  http.StatusBadRequest,
		Message: "MCP-Protocol-Version is not supported: send one of " + strings.Join(revisions, ", "),
	}
)

// revisions are those of the protocol that the SDK supports.
var revisions = mcp.SupportedProtocolVersions()

// codes are the codes of JSON-RPC for the errors that have one.
var codes = map[*apierror.Error]int{
	errMethod: -32601, errRevision: mcp.CodeUnsupportedProtocolVersion,
	message.ErrJSON: -32700,
	errProtocol:     -32600, message.ErrBatch: -32600, message.ErrNoObject: -32600,
}

// read reads a request within all bounds. With an error, it returns what is known of the request.
func (t *Transport) read(ctx context.Context, call *request.Call, r *http.Request) (m rpc, refused *apierror.Error) {
	if r.Method != http.MethodPost {
		return m, errPostOnly
	}
	if t.protection.Check(r) != nil && !t.config.Allows(r) {
		return m, errOrigin
	}
	object, err := message.ReadObject(ctx, call, r, min(maxBody, t.runner.MaxBody), maxValues, t.runner)
	if refused = apierror.Of(err); refused == message.ErrEmpty { // which names a member of another protocol
		refused = message.ErrJSON
	}
	if err != nil {
		return m, cmp.Or(refused, run.ErrInternal)
	}
	m.revision = r.Header.Get("Mcp-Protocol-Version")
	m.Version, _ = object["jsonrpc"].(string)
	m.Method, _ = object["method"].(string)
	m.Params = object["params"]
	id, hasID := object["id"]
	_, isText := id.(string)
	number, _ := id.(json.Number)
	_, inexact := strconv.ParseInt(string(number), 10, 54) // the SDK reads a number as a float64
	_, isObject := m.Params.(map[string]any)
	_, isResult := object["result"]
	_, isError := object["error"]
	if isText || inexact == nil {
		m.ID = id
	}
	switch {
	case m.Version != "2.0", m.Params != nil && !isObject, m.Method == "" && !isResult && !isError,
		hasID && m.ID == nil && (id != nil || !isError): // a client that cannot read our id reports an error with null
		return m, errProtocol
	case !slices.Contains(revisions, cmp.Or(m.revision, revisions[0])):
		return m, errRevision
	case m.ID != nil && m.Method != "" && !slices.Contains(served, m.Method):
		return m, errMethod
	}
	return m, nil
}

// encode encodes a request or an error. Characters of HTML stay as they are: with escapes, the SDK would read six times
// as much as the client sent.
func encode(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

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

// refuse answers a request with an error of JSON-RPC.
func (o *response) refuse(refused *apierror.Error, m rpc) {
	value := map[string]any{"code": cmp.Or(codes[refused], -32000), "message": refused.Message}
	if refused == errRevision {
		value["data"] = mcp.UnsupportedProtocolVersionData{Supported: revisions, Requested: m.revision} // clients of a later revision choose one of them
	}
	o.answer(m.ID, "error", value)
	o.status = cmp.Or(refused.Status, http.StatusBadRequest)
	refused.WriteHeader(o.header)
}

// describe makes an error of JSON-RPC of a text that the SDK answered, and removes what an error about parameters
// quotes of the request.
func (o *response) describe(m rpc) {
	text := o.body.String()
	if o.status >= http.StatusBadRequest && !strings.HasPrefix(text, "{") {
		o.answer(m.ID, "error", map[string]any{"code": -32600, "message": strings.TrimSpace(text)})
		return
	}
	var answer struct {
		Error struct {
			Code    int
			Message string
		}
	}
	if !strings.Contains(text, "unmarshaling") || json.Unmarshal([]byte(text), &answer) != nil {
		return
	}
	if message, _, quotes := strings.Cut(answer.Error.Message, `unmarshaling "`); quotes {
		value := map[string]any{"code": cmp.Or(answer.Error.Code, -32602), "message": message + "the parameters have a wrong form"}
		o.answer(m.ID, "error", value)
	}
}

// answer answers a request without the SDK, with a result or an error.
func (o *response) answer(id any, member string, value any) {
	body, err := encode(map[string]any{"jsonrpc": "2.0", "id": id, member: value})
	if err != nil {
		panic(err) // texts and numbers can always be encoded
	}
	o.header, o.body = http.Header{"Content-Type": {"application/json"}}, *bytes.NewBuffer(body)
}

// answerCall answers the call of a tool without the SDK.
func (o *response) answerCall(m rpc, result *mcp.CallToolResult) {
	value := map[string]any{"content": result.Content}
	if result.IsError {
		value["isError"] = true
	}
	if m.revision >= withoutHandshake {
		value["resultType"] = "complete"
	}
	o.answer(m.ID, "result", value)
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
