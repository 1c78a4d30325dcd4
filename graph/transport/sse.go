package transport

import "bytes"

// eventStream is GraphQL over SSE in its mode of distinct connections, as npm graphql-sse and urql speak it.
type eventStream struct{}

func (eventStream) protocol() string { return "sse" }

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

func (multipartStream) protocol() string { return "multipart" }

func (multipartStream) contentType() string {
	return `multipart/mixed;boundary="graphql";subscriptionSpec="1.0"`
}

const partHeader = "\r\ncontent-type: application/json\r\n\r\n"

// begin opens the first part, as every other write does, so that a client need not wait for the next boundary to read a part.
func (multipartStream) begin(to *bytes.Buffer) { to.WriteString("--graphql") }

func (multipartStream) event(to *bytes.Buffer, response []byte) {
	to.WriteString(partHeader + `{"payload":`)
	to.Write(response)
	to.WriteString("}\r\n--graphql")
}

func (multipartStream) heartbeat(to *bytes.Buffer) { to.WriteString(partHeader + "{}\r\n--graphql") }

func (multipartStream) complete(to *bytes.Buffer) { to.WriteString("--\r\n") }
