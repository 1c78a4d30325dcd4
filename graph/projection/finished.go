package projection

import (
	"bytes"
	"io"

	"github.com/99designs/gqlgen/graphql"

	"pixgraph/internal/buffer"
	"pixgraph/internal/quota"
)

// finished is an answer that is written already. gqlgen writes `{"deposits":` into a buffer of its own, then has the answer
// written into it. A large answer is not copied there: there is room before it for just that beginning of the data, and it
// becomes the buffer. So it stands where it was written until the transport sends it.
type finished struct {
	buf     []byte // from package buffer
	begin   int    // of the answer
	account *quota.Account
}

var _ graphql.Marshaler = (*finished)(nil)

// minMoved is the size of an answer, in bytes, from which it is worth more than a copy.
const minMoved = 8 << 10

// MarshalGQL implements graphql.Marshaler. It can be called once: what was in the answer's buffer is not its own any more.
func (f *finished) MarshalGQL(w io.Writer) {
	data, ok := w.(*bytes.Buffer)
	if ok && len(f.buf) >= minMoved && data.Len() == f.begin {
		copy(f.buf, data.Bytes())
		*data = *bytes.NewBuffer(f.buf)
		return
	}
	if all := f.account.Written(); ok && all >= minMoved && data.Available() < len(f.buf) {
		data.Grow(all) // once for all root fields: growing step by step would take twice as much
	}
	_, _ = w.Write(f.buf[f.begin:])
	buffer.Put(f.buf)
}
