package limits

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"
)

// The header fields of draft-ietf-httpapi-ratelimit-headers-11, a list of structured fields (RFC 9651) each.
const (
	headerPolicy = "RateLimit-Policy" // what a full bucket has, and in how many seconds an empty one is full
	headerState  = "RateLimit"        // what the bucket has, and in how many seconds it is full
)

// The names of the buckets in the header fields.
const (
	identityPolicy = "caller"
	addressPolicy  = "address"
)

// policyOf returns the item of a rate in headerPolicy.
func policyOf(name string, r Rate) string {
	if r.PerSecond == 0 {
		return ""
	}
	return fmt.Sprintf(`"%s";q=%d;w=%.0f;qu="upstream-calls"`, name, r.Burst, math.Ceil(float64(r.Burst)/r.PerSecond))
}

// left is what a bucket has.
type left struct {
	of     *buckets // nil without a limit
	tokens int
	full   int // seconds until it is full
}

// left returns what a bucket has, also nil.
func (b *bucket) left(now time.Time) left {
	if b == nil {
		return left{}
	}
	missing := b.missing(now)
	return left{
		of: b.of, tokens: max(0, int(math.Floor(float64(b.of.rate.Burst)-missing+rounding))),
		full: int(math.Ceil(missing/b.of.refill.perSecond - rounding)),
	}
}

// setHeader sets the header fields of the buckets that a request was charged to.
func setHeader(header http.Header, buckets [2]left) {
	var policy, state []byte
	for _, b := range buckets {
		if b.of == nil {
			continue
		}
		if len(policy) > 0 {
			policy, state = append(policy, ", "...), append(state, ", "...)
		}
		policy = append(policy, b.of.policy...)
		state = append(append(append(state, '"'), b.of.name...), `";r=`...)
		state = append(strconv.AppendInt(state, int64(b.tokens), 10), ";t="...)
		state = strconv.AppendInt(state, int64(b.full), 10)
	}
	if len(policy) > 0 {
		header.Set(headerPolicy, string(policy))
		header.Set(headerState, string(state))
	}
}
