package gatewaytest

import (
	"bufio"
	"bytes"
)

// FirstEventAs begins a subscription over SSE with another token, and ends it after its first event, which is the
// response.
func (c Client) FirstEventAs(token, document string, variables Variables) Response {
	c.T.Helper()
	resp := c.OpenAs(token, "text/event-stream", document, variables)
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
