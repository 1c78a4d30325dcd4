package gatewaytest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net/http"
)

// FirstEventAs begins a subscription over SSE with another token, and ends it after its first event, which is the response.
func (c Client) FirstEventAs(token, document string, variables Variables) Response {
	c.T.Helper()
	ctx, cancel := context.WithTimeout(c.T.Context(), Timeout)
	defer cancel()
	body, err := json.Marshal(map[string]any{"query": document, "variables": variables})
	must(c.T, err)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL+"/graphql", bytes.NewReader(body))
	must(c.T, err)
	req.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"text/event-stream"}, "Authorization": {"Bearer " + token},
	}
	resp, err := c.client().Do(req)
	must(c.T, err)
	defer resp.Body.Close()
	r := Response{T: c.T, Status: resp.StatusCode, Header: resp.Header}
	for lines := bufio.NewReader(resp.Body); ; {
		line, err := lines.ReadBytes('\n')
		must(c.T, err)
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			r.Body = data
			r.decode()
			return r
		}
	}
}
