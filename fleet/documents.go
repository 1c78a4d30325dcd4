package fleet

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"

	"pixgraph/internal/quota"
)

const (
	// MaxDocumentWait bounds the search for a document, the only command that a request waits for.
	MaxDocumentWait = 5 * time.Millisecond
	maxReads        = 64 // that Redis has not answered
	maxWrites       = 32
	documentFor     = 24 * time.Hour

	// writtenPerHour bounds what a replica writes, in bytes with documentOverhead for each document, so that those of a
	// replica that have not expired have at most 75 MiB.
	writtenPerHour   = 3 << 20
	documentOverhead = 512
	smallDocument    = 8 << 10
)

// document is a document that is to be written.
type document struct {
	hash [sha256.Size]byte
	text string
}

// writes bounds the documents that this replica writes.
//
//   - Key: the caller, for its share (quota.Pool).
//   - Bound: writtenPerHour bytes, so 6,144 documents; maxWrites documents that wait.
//   - Filled by: callers with valid documents within the limits, sent with their hash.
//   - Emptied by: the end of an hour, which begins with a document; the documents are written.
type writes struct {
	waiting chan document

	mu    sync.Mutex
	pool  *quota.Pool // of the bytes of this hour
	until time.Time
}

// take takes bytes from the share of a caller in this hour, and reports whether they were free.
func (w *writes) take(caller string, bytes int64, now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !now.Before(w.until) {
		w.pool, w.until = quota.NewPool(writtenPerHour, smallDocument), now.Add(time.Hour)
	}
	return w.pool.Take(caller, bytes)
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
		f.counts.documents["invalid"].Add(1)
		return "", false
	default:
		f.counts.documents["found"].Add(1)
		return text, true
	}
	f.counts.documents["missed"].Add(1)
	return "", false
}

// Register writes a document in the background, for the other replicas. The text must have the hash.
func (f *Fleet) Register(caller string, hash [sha256.Size]byte, text string) {
	if f.config.Documents == 0 || len(text) > f.config.Documents || f.state.isAway() ||
		!f.writes.take(caller, int64(len(text)+documentOverhead), time.Now()) {
		f.counts.documents["unwritten"].Add(1)
		return
	}
	select {
	case f.writes.waiting <- document{hash, text}:
	default:
		f.counts.documents["unwritten"].Add(1)
	}
}

// write writes the documents that wait.
func (f *Fleet) write() {
	for {
		select {
		case <-f.ctx.Done():
			return
		case d := <-f.writes.waiting:
			_, err := f.link.sendOne(f.config.within(), keyed("SET", f.documentKey(d.hash), d.text, "EX", int(documentFor.Seconds())))
			if err != nil {
				f.counts.documents["unwritten"].Add(1)
				f.state.failed(err)
				continue
			}
			f.counts.documents["written"].Add(1)
		}
	}
}
