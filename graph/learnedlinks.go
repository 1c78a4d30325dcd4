package graph

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strings"
	"sync"
	"time"

	"pixgraph/auth"
	"pixgraph/internal/lru"
	"pixgraph/upstream"
	"pixgraph/upstream/pix"
)

// learnedLinks remembers which notifications a token has read, by the record that each refers to: the dispatcher cannot
// list them. An id is only a candidate for a later operation with the same token, which reads the notification again.
//
// It outlives requests.
//
//   - Key: the SHA-256 of the token and the referenceId, a UUID in lower case.
//   - Bound: learnedBytes. A record has the last MaxIDs ids, of 1 KiB at most each.
//   - Filled by: operations with an accepted token, with the notifications that the dispatcher returned to that token.
//   - Emptied by: eviction, by shares of callers (package lru). An id is ignored learnedFor after it was last read and
//     when its token has expired, and is removed by the next operation that reads its record.
type learnedLinks struct {
	now func() time.Time

	mu      sync.Mutex
	records *lru.Cache[learnedKey, []learnedID]
}

type learnedKey struct {
	token       [sha256.Size]byte
	referenceID string
}

// learnedID is the id of a notification. The slices of them are not modified.
type learnedID struct {
	id    string
	until time.Time
}

const (
	learnedBytes = 8 << 20
	learnedFor   = time.Hour // longer than a person works on one payment

	// The memory of a record and an id without their texts: structs, slots of maps, which are half empty after they
	// grew, and entries of lists.
	recordOverhead, idOverhead = 512, 64
)

func newLearnedLinks(now func() time.Time) *learnedLinks {
	return &learnedLinks{now: now, records: lru.New[learnedKey](learnedBytes, recordBytes, nil)}
}

func recordBytes(ids []learnedID) int {
	bytes := recordOverhead + cap(ids)*idOverhead
	for _, learned := range ids {
		bytes += len(learned.id) + len(learned.id)/8 // the allocator may round up by that much
	}
	return bytes
}

// ids returns the ids of notifications about a record that the token of the caller has read, in the order in which they
// were first read.
func (l *learnedLinks) ids(caller *auth.Identity, referenceID string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	known, _ := l.records.Get(learnedKey{caller.Digest(), strings.ToLower(referenceID)})
	var ids []string
	for _, learned := range l.current(known) {
		ids = append(ids, learned.id)
	}
	return ids
}

// current returns a copy of the ids that have not expired.
func (l *learnedLinks) current(known []learnedID) []learnedID {
	now := l.now()
	return slices.DeleteFunc(slices.Clone(known), func(learned learnedID) bool { return !now.Before(learned.until) })
}

// add remembers the links that an operation of the caller has read.
func (l *learnedLinks) add(caller *auth.Identity, read []readLink) {
	if len(read) == 0 {
		return
	}
	slices.SortFunc(read, func(a, b readLink) int { // they were read concurrently
		return cmp.Or(strings.Compare(a.referenceID, b.referenceID), strings.Compare(a.id, b.id))
	})
	until := l.now().Add(learnedFor)
	if expiry := caller.Expiry(); !expiry.IsZero() && expiry.Before(until) {
		until = expiry
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(read) > 0 {
		referenceID := read[0].referenceID
		key := learnedKey{caller.Digest(), referenceID}
		known, _ := l.records.Get(key)
		known = l.current(known)
		for ; len(read) > 0 && read[0].referenceID == referenceID; read = read[1:] {
			id := read[0].id
			if i := slices.IndexFunc(known, func(learned learnedID) bool { return learned.id == id }); i >= 0 {
				known[i].until = until
			} else {
				known = append(known, learnedID{id, until})
			}
		}
		l.records.Add(caller.Caller(), key, slices.Delete(known, 0, max(0, len(known)-MaxIDs)))
	}
}

// readLinks are the links of the notifications that one operation has read. Bound: the account of the execution. They
// are released with it.
type readLinks struct {
	mu   sync.Mutex
	list []readLink
}

// readLink is the id of a notification and of the record that it refers to.
type readLink struct{ referenceID, id string }

// readLinkBytes is the memory of a readLink without its id: the strings, a UUID, and the slice, which doubles when it
// grows.
const readLinkBytes = 192

// take returns the links, and removes them.
func (s *readLinks) take() []readLink {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.list
	s.list = nil
	return list
}

// noteLink notes the link of a notification that the execution has read. A transaction is referred to by a UUID.
func (e *Execution) noteLink(notification *upstream.Notification) {
	id, err := notification.ID()
	referenceID, referenceErr := notification.ReferenceID()
	if err != nil || referenceErr != nil {
		return
	}
	link := readLink{referenceID.String(), id.String()}
	if !pix.ValidUUID(link.referenceID) || !upstream.ValidNotificationID(link.id) || e.Account.Take(readLinkBytes+len(link.id)) != nil {
		return
	}
	link.referenceID = strings.ToLower(link.referenceID)
	e.links.mu.Lock()
	defer e.links.mu.Unlock()
	e.links.list = append(e.links.list, link)
}
