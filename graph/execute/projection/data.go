package projection

import (
	"github.com/99designs/gqlgen/graphql"

	"pixgraph/internal/buffer"
)

// Data is the data of a response that this package wrote, in pooled memory. The sender of the response owns it, and
// releases it once.
//
// The response itself has a placeholder, so that an extension of gqlgen that keeps graphql.Response.Data keeps no
// pooled memory.
type Data []byte

// placeholder is the graphql.Response.Data of a response whose data is a Data. It is recognized by its address.
var placeholder = []byte("null")

// IsHandedOver reports whether the data of a response is the Data that Execute returned with it, that is, whether the
// response still has the placeholder. An extension may have replaced it.
func IsHandedOver(response *graphql.Response) bool {
	return len(response.Data) > 0 && &response.Data[0] == &placeholder[0]
}

// Release returns the memory to the pool.
func (d Data) Release() { buffer.Put(d) }
