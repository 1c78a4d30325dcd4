package projection

import "pixgraph/internal/buffer"

// Data is the data of a response that this package wrote, in pooled memory. The sender of the response owns it, and
// releases it once.
type Data []byte

// Release returns the memory to the pool.
func (d Data) Release() { buffer.Put(d) }
