package gateway_test

import (
	"bufio"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/gobwas/ws"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"pixgraph/test/replica"
)

// TestTracesOfStreams: the span of a request ends when its stream has begun, without an error. Each read of a stream is
// a trace of its own, because streams share reads. An operation over a WebSocket is one too, with a link to the request
// that opened it.
func TestTracesOfStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := replica.NewSandbox(t)
		r, exporter := startTraced(t, box)
		parent := http.Header{"Authorization": {"Bearer " + box.Token()}, "Traceparent": {"00-" + clientTrace + "-" + clientSpan + "-01"}}
		resp := r.OpenAs(box.Token(), acceptSSE, fmt.Sprintf("subscription { transaction(id: %q) { status } }", box.Samples().OpenTransaction))
		for lines, events := bufio.NewScanner(resp.Body), 0; events < 2 && lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "event: next") {
				events++
				box.Ledger().Step()
			}
		}
		_ = resp.Body.Close()
		synctest.Wait() // until the stream has ended

		conn := r.Socket(ws.Dialer{Header: ws.HandshakeHeaderHTTP(parent)})
		r.WantMessage(conn, `{"type":"connection_init"}`, `"connection_ack"`)
		r.WantMessage(conn, `{"type":"subscribe","id":"1","payload":{"query":"query Page { deposits { totalCount } }"}}`, `"next"`)
		_ = conn.Close()
		spans := exporter.stopped(r)
		var sent []string // what the APIs received
		for _, call := range box.Calls() {
			sent = append(sent, call.Header.Get("Traceparent"))
		}

		named := func(name string) (found tracetest.SpanStubs) {
			for _, span := range spans {
				if span.Name == name {
					found = append(found, span)
				}
			}
			return found
		}
		posted, opened, operation := named("POST /graphql"), named("GET /graphql"), named("query Page")
		if len(posted) != 1 || len(opened) != 1 || len(operation) != 1 {
			t.Fatalf("spans: %+v", spans)
		}
		for status, span := range map[int]tracetest.SpanStub{http.StatusOK: posted[0], http.StatusSwitchingProtocols: opened[0]} {
			if span.Status.Code != codes.Unset || !slices.Contains(span.Attributes, attribute.Int("http.response.status_code", status)) {
				t.Errorf("%+v, want the status %d", span, status)
			}
		}
		if opened[0].SpanContext.TraceID().String() != clientTrace || operation[0].Parent.IsValid() || len(operation[0].Links) != 1 ||
			operation[0].Links[0].SpanContext.SpanID() != opened[0].SpanContext.SpanID() {
			t.Errorf("the operation is %+v, of the connection %+v", operation[0], opened[0])
		}
		reads, calls := named("GET /transaction/{id}"), named("GET /deposit")
		if len(reads) < 2 || len(calls) != 1 || calls[0].Parent.SpanID() != operation[0].SpanContext.SpanID() {
			t.Fatalf("reads %+v, calls %+v", reads, calls)
		}
		traces := map[string]bool{}
		for _, call := range slices.Concat(reads, calls) {
			traces[call.SpanContext.TraceID().String()] = true
			if header := fmt.Sprintf("00-%s-%s-01", call.SpanContext.TraceID(), call.SpanContext.SpanID()); !slices.Contains(sent, header) {
				t.Errorf("no API received %s, but %v", header, sent)
			}
		}
		if line := fmt.Sprintf(`"traceId":%q,"client":"","clientVersion":""`, posted[0].SpanContext.TraceID()); !strings.Contains(r.Stderr.String(), line) {
			t.Errorf("the log of the stream lacks %s: %s", line, r.Stderr)
		}
		if len(traces) != len(reads)+1 || traces[posted[0].SpanContext.TraceID().String()] {
			t.Errorf("%d reads and a call have the traces %v", len(reads), traces)
		}
		for _, read := range reads {
			if read.Parent.IsValid() {
				t.Errorf("%+v has a parent", read)
			}
		}
	})
}
