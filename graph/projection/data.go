package projection

import (
	"github.com/99designs/gqlgen/graphql"

	"pixgraph/internal/buffer"
)

// Data is the data of a response that this package wrote, in memory that is reused. Who sends the response owns it, and
// releases it once.
//
// The response itself holds a placeholder instead, so that an extension of gqlgen that keeps graphql.Response.Data keeps
// nothing that is reused.
type Data []byte

// placeholder is the graphql.Response.Data of a response whose data is handed over. It is recognized by its address.
var placeholder = []byte("null")

// IsHandedOver reports whether the data of a response is the Data that Execute returned with it. It is not if an extension
// replaced it.
func IsHandedOver(response *graphql.Response) bool {
	return len(response.Data) > 0 && &response.Data[0] == &placeholder[0]
}

// Release lets later responses reuse the memory.
func (d Data) Release() { buffer.Put(d) }
