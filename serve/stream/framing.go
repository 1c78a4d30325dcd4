package stream

import (
	"bytes"
	"net/http"
	"strings"

	"pixgraph/serve/accept"
	"pixgraph/serve/envelope"
)

// Framing writes events in the format of a protocol.
type Framing interface {
	protocol() string
	contentType() string
	begin(*bytes.Buffer)
	event(to *bytes.Buffer, response []byte)
	heartbeat(*bytes.Buffer)
	complete(*bytes.Buffer) // after the last event of a stream that is not to be repeated
}

// FramingOf returns the framing of a protocol in Accept: SSE if it is there, or else multipart; nil without both. A
// client of another version of the multipart protocol would not understand its parts.
func FramingOf(accepted accept.List) Framing {
	var sse, multipart bool
	for _, element := range accepted {
		switch {
		case element.Weight <= 0:
		case strings.EqualFold(element.Name, "text/event-stream"):
			sse = true
		case strings.EqualFold(element.Name, "multipart/mixed") && specOf(element.Parameters) == subscriptionSpec:
			multipart = true
		}
	}
	switch {
	case sse:
		return eventStream{}
	case multipart:
		return multipartStream{}
	default:
		return nil
	}
}

// subscriptionSpec is the version of Apollo's protocol.
const subscriptionSpec = "1.0"

// specOf returns the version of Apollo's protocol in the parameters of an element of Accept.
func specOf(parameters string) string {
	for parameters != "" {
		var parameter string
		parameter, parameters = accept.Cut(parameters, ';')
		if name, value, _ := strings.Cut(parameter, "="); strings.EqualFold(accept.Trim(name), "subscriptionSpec") {
			return strings.Trim(accept.Trim(value), `"`)
		}
	}
	return ""
}

// WriteOnly writes a response as the only event of a stream, for a client that accepts nothing else.
func WriteOnly(w http.ResponseWriter, framing Framing, response []byte) {
	out := envelope.Buffers.Get()
	defer envelope.Buffers.Put(out)
	framing.begin(out)
	framing.event(out, response)
	framing.complete(out)
	w.Header().Set("Incremental", "?1")
	envelope.Write(w, []string{framing.contentType()}, http.StatusOK, out.Bytes())
}

// eventStream is GraphQL over SSE in its mode of distinct connections, as npm graphql-sse and urql speak it.
type eventStream struct{}

func (eventStream) protocol() string { return SSE }

func (eventStream) contentType() string { return "text/event-stream; charset=utf-8" }

// begin sends a comment, so that clients and proxies see at once that the stream is open.
func (eventStream) begin(to *bytes.Buffer) { to.WriteString(":\n\n") }

func (eventStream) event(to *bytes.Buffer, response []byte) {
	to.WriteString("event: next\ndata: ")
	for {
		end := bytes.IndexAny(response, "\r\n") // only between JSON values
		if end < 0 {
			break
		}
		to.Write(response[:end])
		to.WriteString("\ndata: ")
		response = response[end+1:]
	}
	to.Write(response)
	to.WriteString("\n\n")
}

func (eventStream) heartbeat(to *bytes.Buffer) { to.WriteString(":\n\n") }

func (eventStream) complete(to *bytes.Buffer) { to.WriteString("event: complete\ndata:\n\n") }

// multipartStream is Apollo's protocol of subscriptions over HTTP, as Apollo's clients speak it.
type multipartStream struct{}

func (multipartStream) protocol() string { return Multipart }

func (multipartStream) contentType() string {
	return `multipart/mixed;boundary="graphql";subscriptionSpec="` + subscriptionSpec + `"`
}

const partHeader = "\r\ncontent-type: application/json\r\n\r\n"

// begin opens the first part, as every other write does, so that a client reads a part before the next boundary.
func (multipartStream) begin(to *bytes.Buffer) { to.WriteString("--graphql") }

func (multipartStream) event(to *bytes.Buffer, response []byte) {
	to.WriteString(partHeader + `{"payload":`)
	to.Write(response)
	to.WriteString("}\r\n--graphql")
}

func (multipartStream) heartbeat(to *bytes.Buffer) { to.WriteString(partHeader + "{}\r\n--graphql") }

func (multipartStream) complete(to *bytes.Buffer) { to.WriteString("--\r\n") }
