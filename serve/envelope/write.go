package envelope

import (
	"net/http"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"pixgraph/graph/apierror"
	"pixgraph/serve/accept"
)

// noStore is the Cache-Control of every response without a tag, since a response belongs to one caller. Such a response
// needs no Vary, which is for caches: its header stays small; see measured.
var noStore = []string{"no-store"}

// measured is the longest body whose length net/http writes itself: it buffers 2 KiB until the handler returns. Without
// CORS, such a response has eight headers of ours, for which net/http's map need not grow; see docs/decisions/http.md.
const measured = 2 << 10

// Write sets the headers that all responses have, and writes a response, which consists of parts.
func Write(w http.ResponseWriter, contentType []string, status int, body ...[]byte) {
	length := 0
	for _, part := range body {
		length += len(part)
	}
	header := w.Header()
	header["Content-Type"] = contentType
	if length > measured {
		header["Content-Length"] = []string{strconv.Itoa(length)}
	}
	if header["Etag"] == nil {
		header["Cache-Control"] = noStore
	}
	w.WriteHeader(status)
	for _, part := range body {
		_, _ = w.Write(part)
	}
}

// WriteError responds to a request that is rejected before it reaches the transport, such as with 401: a GraphQL
// response with one error, which is already rendered, and no data, in the media type that the transport would choose.
func WriteError(w http.ResponseWriter, r *http.Request, refused *apierror.Error, rendered *gqlerror.Error) {
	media, _ := accept.Read(new(accept.Few), r.Header["Accept"]).Negotiate()
	refused.WriteHeader(w.Header())
	around := Buffers.Get()
	defer Buffers.Put(around)
	e := New(around, &graphql.Response{Errors: gqlerror.List{rendered}})
	Write(w, media.ContentType(), refused.Status, e.Before, e.After)
}
