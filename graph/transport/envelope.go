package transport

import (
	"bytes"
	"encoding/json"

	"pixgraph/graph/apierror"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// envelope is what is written around the data of a response.
type envelope struct{ before, after []byte }

// newEnvelope writes, into a buffer, all of a response but its data: errors first, as is advised (GraphQL
// specification, section 7.1), so that a reader of a long answer sees them; then data, whose bytes are sent as they are; then extensions.
// What is empty is left out: a response whose Data is empty has no data, one whose Data is null has data of null.
func newEnvelope(to *bytes.Buffer, response *graphql.Response) envelope {
	separator := byte('{')
	if len(response.Errors) > 0 {
		to.WriteString(`{"errors":`)
		for i, err := range response.Errors {
			to.WriteByte("[,"[min(i, 1)])
			appendError(to, err)
		}
		to.WriteByte(']')
		separator = ','
	}
	if len(response.Data) > 0 {
		to.WriteByte(separator)
		to.WriteString(`"data":`)
		separator = ','
	}
	before := to.Len()
	if len(response.Extensions) > 0 {
		mark := to.Len()
		to.WriteByte(separator)
		to.WriteString(`"extensions":`)
		if appendJSON(to, response.Extensions) {
			separator = ','
		} else {
			to.Truncate(mark) // extensions that are no JSON are left out
		}
	}
	if separator == '{' {
		to.WriteByte('{')
	}
	to.WriteByte('}')
	return envelope{to.Bytes()[:before], to.Bytes()[before:]}
}

// appendError writes one error. One that is no JSON, because of its extensions, is masked.
func appendError(to *bytes.Buffer, err *gqlerror.Error) {
	mark := to.Len()
	if err != nil && appendJSON(to, err) {
		return
	}
	to.Truncate(mark)
	to.WriteString(`{"message":"internal error","extensions":{"code":"` + string(apierror.Internal) + `"}}`)
}

// appendJSON writes a value without escapes for HTML, and reports whether it could.
func appendJSON(to *bytes.Buffer, value any) bool {
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return false
	}
	to.Truncate(to.Len() - 1) // Encode ends with a newline
	return true
}
