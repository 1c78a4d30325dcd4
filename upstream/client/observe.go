package client

import (
	"time"

	"pixgraph/upstream"
)

// Exchange describes one exchange with an API after its end. It is meant for logs, metrics and traces, so it contains
// no id, no token and no data. A coalesced call shared the exchange of another call: its Exchange has the result of the
// shared exchange, and the time at which the call waited for it.
type Exchange struct {
	Service      upstream.Service
	Route        string // "/transaction/{id}"
	Status       int    // 0 without a response
	Err          error  // an *upstream.Error; nil for a complete response with status 200
	Bytes        int    // of the body, after decompression
	EncodedBytes int    // of the body, before decompression; 0 for a coalesced call, which received nothing itself
	Coalesced    bool   // whether the call shared the exchange of another call
	Attempt      int    // number of times that the request was sent so far, including over a dead reused connection; 0 if coalesced
	Start        time.Time
	Duration     time.Duration
	Waited       time.Duration // in queues, before Start
}
