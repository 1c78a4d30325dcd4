package fleet

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"
)

const (
	// MaxDocumentWait bounds the search for a document, the only command that a request waits for.
	MaxDocumentWait = 5 * time.Millisecond
	maxReads        = 64 // that Redis has not answered
	maxWrites       = 32
	documentFor     = 24 * time.Hour

	// writtenPerHour bounds what a replica writes, in bytes with documentOverhead for each document, so that a day's
	// documents of a replica have at most 72 MiB.
	writtenPerHour   = 3 << 20
	documentOverhead = 512
	smallDocument    = 8 << 10
)

// document is a document that is to be written.
type document struct {
	hash [sha256.Size]byte
	text string
}

// written is the documents that were written in the last hour.
//
//   - Key: none. A caller's share of the bytes is that of a quota.Pool, by caller.
//   - Bound: writtenPerHour bytes, so 6,144 documents; maxWrites documents that wait.
//   - Filled by: callers with valid documents within the limits, sent with their hash.
//   - Emptied by: an hour.
type written struct {
	entries chan document

	mu   sync.Mutex
	last []share
}

// share is what a caller wrote.
type share struct {
	caller string
	bytes  int64
	at     time.Time
}

// take takes bytes from the share of a caller, and reports whether they were free.
func (f *Fleet) take(caller string, bytes int64, now time.Time) bool {
	w := &f.written
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.last) > 0 && now.Sub(w.last[0].at) >= time.Hour {
		f.writes.Return(w.last[0].caller, w.last[0].bytes)
		w.last[0] = share{}
		w.last = w.last[1:]
	}
	if !f.writes.Take(caller, bytes) {
		return false
	}
	w.last = append(w.last, share{caller, bytes, now})
	return true
}

// documentKey is the key of a document in Redis.
func (f *Fleet) documentKey(hash [sha256.Size]byte) string {
	return f.config.Prefix + "d" + base64.RawURLEncoding.EncodeToString(hash[:])
}

// Document returns the text with a hash that a caller of another replica has registered. A caller whose searches are
// not answered, since Redis is slow, makes no others, and waits for none.
func (f *Fleet) Document(caller string, hash [sha256.Size]byte) (text string, ok bool) {
	if f.config.Documents == 0 || f.state.isAway() || !f.reads.Take(caller, 1) {
		return "", false
	}
	results, err := f.link.sendThen(MaxDocumentWait, func() { f.reads.Return(caller, 1) },
		keyed("GETRANGE", f.documentKey(hash), 0, f.config.Documents))
	if err == nil {
		text, err = redis.String(results[0].reply, results[0].err)
	}
	switch {
	case errors.Is(err, errTimeout): // too slow for documents, which says nothing about the rest
		f.counts.refuse(reasonTimeout)
	case err != nil:
		f.state.failed(err)
	case text == "":
	case sha256.Sum256([]byte(text)) != hash: // also if it is longer than the largest document
		f.counts.invalid.Add(1)
		return "", false
	default:
		f.counts.found.Add(1)
		return text, true
	}
	f.counts.missed.Add(1)
	return "", false
}

// Register writes a document in the background, for the other replicas. The text must have the hash.
func (f *Fleet) Register(caller string, hash [sha256.Size]byte, text string) {
	if f.config.Documents == 0 || len(text) > f.config.Documents || f.state.isAway() ||
		!f.take(caller, int64(len(text)+documentOverhead), time.Now()) {
		f.counts.unwritten.Add(1)
		return
	}
	select {
	case f.written.entries <- document{hash, text}:
	default:
		f.counts.unwritten.Add(1)
	}
}

// write writes the documents that wait.
func (f *Fleet) write() {
	for {
		select {
		case <-f.ctx.Done():
			return
		case d := <-f.written.entries:
			results, err := f.link.send(f.config.within(), keyed("SET", f.documentKey(d.hash), d.text, "EX", int(documentFor.Seconds())))
			if err == nil {
				err = results[0].err
			}
			if err != nil {
				f.counts.unwritten.Add(1)
				f.state.failed(err)
				continue
			}
			f.counts.written.Add(1)
		}
	}
}
