package serve

import (
	"maps"
	"sync"
	"time"

	"pixgraph/internal/quota"
)

// unaccepted has the streams and WebSockets that began with a token that no API had accepted (auth_mode=forward). They
// last long, so they leave the common share when an API has accepted their token, as soon as another one needs room.
//
//   - Key: the stream or the WebSocket.
//   - Bound: what the common share holds: an eighth of the WebSockets, and of the memory of streams that of one caller;
//     below 150 bytes each.
//   - Filled by: streams and WebSockets with any token.
//   - Emptied by: an accepted token, at the next request that finds no room; the end of the stream or the WebSocket.
type unaccepted struct {
	mu      sync.Mutex
	holders map[holder]struct{}
	vain    time.Time // the last time that none of them could be moved
}

// holder holds a part of the common share.
type holder interface {
	// settle moves it to the share of its caller, and reports whether it did.
	settle() bool
}

// settlePause bounds the work that invented tokens cause: a pass over some thousand holders takes a millisecond.
const settlePause = 100 * time.Millisecond

// take calls take for a holder and a share. If the common share has no room, it calls it again after others have left.
func (u *unaccepted) take(h holder, share string, take func() error) error {
	err := take()
	if share != quota.Common {
		return err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if now := time.Now(); err != nil && now.Sub(u.vain) >= settlePause {
		before := len(u.holders)
		maps.DeleteFunc(u.holders, func(other holder, _ struct{}) bool { return other.settle() })
		if len(u.holders) == before {
			u.vain = now
		} else {
			err = take()
		}
	}
	if err == nil {
		if u.holders == nil {
			u.holders = map[holder]struct{}{}
		}
		u.holders[h] = struct{}{}
	}
	return err
}

// end removes a holder. After that, its share does not change.
func (u *unaccepted) end(h holder) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.holders, h)
}
