package projection

import (
	"pixgraph/internal/buffer"
	"pixgraph/internal/quota"
)

// bound limits what a writer writes and holds for its request: with 2 KB of aliases, a response can be a thousand times
// as long as the data that was read. Written bytes are charged in steps, so that most values take one comparison.
type bound struct {
	account *quota.Account
	room    int  // the length up to which the buffer may be filled
	counted int  // bytes of the response that were charged
	memory  int  // bytes of the buffer that were charged
	over    bool // whether the limit is exceeded; the whole response is then replaced
}

// open starts with an empty buffer for the expected number of bytes. Without enough memory for it, it starts with the
// smallest buffer: the response may be shorter than the last one, which may be another caller's.
func (w *writer) open(account *quota.Account, expected int) {
	w.bound = bound{account: account, memory: buffer.Size(expected)}
	if account.Take(w.memory) != nil {
		w.memory = buffer.MinSize
		w.over = !account.Write(0, w.memory)
	}
	w.buf = buffer.Get(w.memory)
}

// reserve reports whether the given number of bytes may be written. If not, nothing more may be written, and writers of
// lists stop.
func (w *writer) reserve(bytes int) bool {
	return len(w.buf)+bytes <= w.room || w.extend(len(w.buf)+bytes)
}

// extend raises the limit to the given length and grows the buffer if it must.
func (w *writer) extend(length int) bool {
	if w.over {
		return false
	}
	count := max(length-w.counted, w.account.WriteStep())
	memory := 0
	if length > cap(w.buf) {
		memory = buffer.Size(max(length, 2*cap(w.buf)))
	}
	if w.over = !w.account.Write(count, memory); w.over {
		w.room = 0
		return false
	}
	if memory > 0 {
		grown := append(buffer.Get(memory), w.buf...)
		buffer.Put(w.buf)
		w.buf = grown
		w.account.Return(w.memory)
		w.memory = memory
	}
	w.counted += count
	w.room = min(w.counted, cap(w.buf))
	return true
}

// finish settles the charges. It returns the output, or nil if it is incomplete.
func (w *writer) finish() []byte {
	if w.over || w.account.Failed() != nil {
		buffer.Put(w.buf)
		return nil
	}
	w.account.Unwrite(w.counted - len(w.buf))
	return w.buf
}
