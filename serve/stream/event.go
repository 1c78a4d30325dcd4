package stream

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/serve/envelope"
	"pixgraph/upstream/live"
)

// noNext is the time until the next read of a stream that reads no more, because its token has expired.
const noNext time.Duration = -1

// WriteEvent writes the GraphQL response of an event. field is the response key of the subscription's field; present
// formats its error.
func WriteEvent(ctx context.Context, to *bytes.Buffer, field string, e live.Event, present Present) {
	if e.Answer != nil {
		to.Write(e.Answer)
	} else {
		key, _ := json.Marshal(field)
		shown := present(ctx, gqlerror.WrapPath(ast.Path{ast.PathName(field)}, e.Err))
		if e.Reason == live.Stale { // the stream retries, also after errors that a client should not retry a query for
			shown.Extensions["retryable"] = true
		}
		to.Write(Answer(&graphql.Response{Errors: gqlerror.List{shown}, Data: append(append([]byte(`{`), key...), `:null}`...)}))
	}
	to.WriteString(`,"extensions":{"live":`)
	AppendFacts(to, e)
	to.WriteString(`}}`)
}

// AppendFacts appends what an event says about its stream, as JSON.
func AppendFacts(to *bytes.Buffer, e live.Event) {
	to.WriteString(`{"reason":"`)
	to.WriteString(string(e.Reason))
	to.WriteString(`","observedAt":"`)
	to.WriteString(e.Observed.UTC().Format("2006-01-02T15:04:05.000Z"))
	to.WriteString(`","nextPollMs":`)
	if e.Final || e.Next == noNext {
		to.WriteString(`null`)
	} else {
		to.WriteString(strconv.FormatInt(max(0, e.Next.Milliseconds()), 10))
	}
	to.WriteString(`,"final":`)
	to.WriteString(strconv.FormatBool(e.Final))
	to.WriteByte('}')
}

// Answer returns a response as the events of a stream contain it: without the end of its object.
func Answer(response *graphql.Response) []byte {
	around := envelope.Buffers.Get()
	defer envelope.Buffers.Put(around)
	e := envelope.New(around, &graphql.Response{Errors: response.Errors, Data: response.Data})
	return slices.Concat(e.Before, response.Data)
}
