package client

import (
	"time"

	"pixgraph/upstream"
)

// Exchange is what there is to tell of one exchange with an API after it ended: for logs, metrics and traces, so it holds
// no id, no token and nothing that was sent. One that was coalesced was made by somebody else, who is told of it as well: it
// has what came of it, and when it was waited for.
type Exchange struct {
	Service      upstream.Service
	Route        string // "/transaction/{id}"
	Status       int    // 0 where no answer came
	Err          error  // an *Error; nil for a whole answer of 200
	Bytes        int    // of the body, after decompression
	EncodedBytes int    // of the body as it came; 0 where it was coalesced, since nothing came for this one
	Coalesced    bool   // whether the same call was under way and its answer was taken
	Attempt      int    // how many times the call was sent until then, over a kept connection that was dead included
	TraceParent  string // that it was sent with, as Observer.Begin gave it
	Start        time.Time
	Duration     time.Duration
	Waited       time.Duration // for a turn, before Start
}
