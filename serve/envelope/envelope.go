// Package envelope writes GraphQL responses: what is around their data, and in HTTP their status and headers. Data is
// sent as it is, without a copy.
//
// It does not choose what a response contains, or how it is compressed.
//
// Read New first.
package envelope

import (
	"bytes"
	"encoding/json"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/apierror"
	"pixgraph/internal/buffer"
)

// Envelope is the part of a response before and after its data.
type Envelope struct{ Before, After []byte }

// New writes all parts of a response except its data to a buffer: first errors, so that a reader of a long
// response sees them (GraphQL specification, section 7.1), then the place of data, whose bytes are sent unchanged, then
// extensions. Empty parts are omitted: a response with empty Data has no data member; one whose Data is null has the
// member with null.
func New(to *bytes.Buffer, response *graphql.Response) Envelope {
	separator := byte('{')
	if len(response.Errors) > 0 {
		to.WriteString(`{"errors":`)
		for i, err := range response.Errors {
			to.WriteByte("[,"[min(i, 1)])
			AppendError(to, err)
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
			to.Truncate(mark) // extensions that cannot be encoded are omitted
		}
	}
	if separator == '{' {
		to.WriteByte('{')
	}
	to.WriteByte('}')
	return Envelope{to.Bytes()[:before], to.Bytes()[before:]}
}

// AppendError writes one error. If it cannot be encoded because of its extensions, it is masked.
func AppendError(to *bytes.Buffer, err *gqlerror.Error) {
	mark := to.Len()
	if err != nil && appendJSON(to, err) {
		return
	}
	to.Truncate(mark)
	to.WriteString(`{"message":"internal error","extensions":{"code":"` + string(apierror.Internal) + `"}}`)
}

// appendJSON encodes a value without HTML escapes, and reports whether it succeeded.
func appendJSON(to *bytes.Buffer, value any) bool {
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return false
	}
	to.Truncate(to.Len() - 1) // Encode appends a newline
	return true
}

// Buffers are for the parts around the data of a response, and for compressed responses: 1 MiB is enough for 100
// records with all fields.
var Buffers = buffer.NewPool(1 << 20)
