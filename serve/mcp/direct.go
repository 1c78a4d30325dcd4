package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// The SDK decodes a message some six times, and starts a session for it. So requests of the revisions with a handshake
// are answered here, as the SDK would, if they have only what is expected. The SDK answers others.

// withoutHandshake is the first revision whose requests say in _meta what a handshake said before.
const withoutHandshake = "2026-07-28"

// constants are the results that do not depend on the caller, as the SDK makes them: that of tools/list, and those of
// initialize by the revision.
type constants struct {
	list     json.RawMessage
	greeting map[string]json.RawMessage
}

// newConstants asks the SDK once.
func newConstants(sdk http.Handler) (c constants, err error) {
	ask := func(method, params string) json.RawMessage {
		out := &response{header: http.Header{}}
		body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `}}`
		sdk.ServeHTTP(out, &http.Request{
			Method: http.MethodPost, Body: io.NopCloser(strings.NewReader(body)),
			Header: http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}},
		})
		var answer struct{ Result json.RawMessage }
		if json.Unmarshal(out.body.Bytes(), &answer) != nil || answer.Result == nil {
			err = fmt.Errorf("mcp: %s: %s", method, out.body.Bytes())
		}
		return answer.Result
	}
	c = constants{ask("tools/list", ""), map[string]json.RawMessage{}}
	for _, revision := range revisions {
		if revision < withoutHandshake {
			c.greeting[revision] = ask("initialize", `"protocolVersion":"`+revision+`"`)
		}
	}
	return c, err
}

// member returns a parameter; nil without it.
func (m rpc) member(name string) any {
	params, _ := m.Params.(map[string]any)
	return params[name]
}

// isPlain reports whether a request has only what this package reads of requests with its method.
func (m rpc) isPlain(accept []string) bool {
	params, _ := m.Params.(map[string]any)
	for name, value := range params {
		meta, isObject := value.(map[string]any)
		switch {
		case name == "_meta" && isObject:
			for key := range meta {
				if strings.HasPrefix(key, "io.modelcontextprotocol/") {
					return false
				}
			}
		case m.Method == "initialize", m.Method == "tools/call" && (name == "name" || name == "arguments" && (isObject || value == nil)):
		default:
			return false
		}
	}
	types := strings.Join(accept, ",")
	return m.revision < withoutHandshake && strings.Contains(types, "application/json") && strings.Contains(types, "text/event-stream")
}

// constant returns the result of a plain request that does not depend on the caller; nil if it does.
func (c constants) constant(m rpc) json.RawMessage {
	switch m.Method {
	case "ping":
		return json.RawMessage("{}")
	case "tools/list":
		return c.list
	case "initialize":
		revision, _ := m.member("protocolVersion").(string)
		return c.greeting[revision]
	}
	return nil
}

// called returns the tool that a request calls; nil for another request.
func (t *Transport) called(m rpc) *tool {
	name := m.member("name")
	at := slices.IndexFunc(t.tools, func(tool *tool) bool { return m.Method == "tools/call" && tool.Name == name })
	if at < 0 {
		return nil
	}
	return t.tools[at]
}

// result answers a request with a result that is JSON already.
func (o *response) result(id any, result json.RawMessage) {
	encoded, err := encode(id)
	if err != nil {
		panic(err) // a text or a number
	}
	o.header = http.Header{"Content-Type": {"application/json"}}
	o.body = *bytes.NewBuffer(slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), encoded, []byte(`,"result":`), result, []byte(`}`)))
	o.status = cmp.Or(o.status, http.StatusOK)
}
