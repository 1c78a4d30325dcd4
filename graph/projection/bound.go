package projection

import (
	"pixgraph/internal/buffer"
	"pixgraph/internal/quota"
)

// bound keeps a writer within what its request may write and hold: the answer of 2 KB of aliases can be a thousand times as
// long as what was read. What is written is counted in steps, so that most values cost one comparison.
type bound struct {
	account *quota.Account
	room    int  // up to where the buffer may be written
	counted int  // bytes of the answer that were counted
	memory  int  // bytes of the buffer that were taken
	over    bool // whether no more may be written; the answer is replaced as a whole then
}

// open begins with an empty buffer of that capacity.
func (b *bound) open(account *quota.Account, capacity int) {
	*b = bound{account: account, memory: capacity, over: !account.Write(0, capacity)}
}

// reserve reports whether so many bytes may be written. Where it says no, nothing is to be written any more, and writers of
// lists stop.
func (w *writer) reserve(bytes int) bool {
	return len(w.buf)+bytes <= w.room || w.extend(len(w.buf)+bytes)
}

// extend makes room for a buffer of that length.
func (w *writer) extend(length int) bool {
	if w.over {
		return false
	}
	count := max(length-w.counted, w.account.WriteStep())
	memory := 0
	if length > cap(w.buf) {
		memory = max(length, 2*cap(w.buf))
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

// finish settles what was counted, and reports whether the answer is whole.
func (w *writer) finish() bool {
	if w.over || w.account.Failed() != nil {
		buffer.Put(w.buf)
		w.buf = nil
		return false
	}
	w.account.Unwrite(w.counted - len(w.buf))
	return true
}
