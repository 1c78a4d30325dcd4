package ledger

import (
	"math/bits"
	"math/rand/v2"
	"time"
)

// draw is the random source of one record. It uses integers only, so that a
// seed gives the same records on every machine.
type draw struct{ r *rand.Rand }

// The streams of a seed: drawing from one stream does not affect the others.
type stream uint64

const (
	merchantStream stream = iota + 1
	paymentStream
	depositStream
	transactionStream
	withdrawalStream
	notificationStream
	metadataStream
	linkStream
	stepStream
	manyStream
	propertyStream
)

func newDraw(seed uint64, s stream, i int) draw {
	// An odd factor spreads neighbouring indexes over the generator's states.
	return draw{rand.New(rand.NewPCG(seed^uint64(s)<<56, (uint64(s)<<40+uint64(i)+1)*0x9E3779B97F4A7C15))}
}

// between is a number from min to max, inclusive.
func (d draw) between(min, max int64) int64 { return min + d.r.Int64N(max-min+1) }

// skewed is a number from min to max with an approximately logarithmic
// distribution: each doubling of min is equally likely.
func (d draw) skewed(min, max int64) int64 {
	top := max >> d.r.IntN(bits.Len64(uint64(max/min)))
	return d.between(min, top)
}

func (d draw) duration(min, max time.Duration) time.Duration {
	return time.Duration(d.skewed(int64(min), int64(max)))
}

// chance is true with the given probability in percent.
func (d draw) chance(percent int) bool { return d.r.IntN(100) < percent }

func pick[T any](d draw, from []T) T { return from[d.r.IntN(len(from))] }

// maybe returns the value of a member that a record may have in any status: mostly present, sometimes absent or null.
func (d draw) maybe(value any) any {
	switch n := d.r.IntN(100); {
	case n < 78:
		return value
	case n < 90:
		return absent{}
	}
	return nil
}

// nothing returns that of a member that the record does not have in its status: absent or null.
func (d draw) nothing() any {
	if d.chance(50) {
		return nil
	}
	return absent{}
}

const (
	digitSet  = "0123456789"
	hexSet    = "0123456789abcdef"
	letterSet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

func (d draw) text(n int, set string) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = set[d.r.IntN(len(set))]
	}
	return string(b)
}

func (d draw) digits(n int) string { return d.text(n, digitSet) }

// hex is lower-case hexadecimal, for digests and the ids of notifications.
func (d draw) hex(n int) string {
	b := make([]byte, n)
	d.fillHex(b)
	return string(b)
}

func (d draw) fillHex(b []byte) {
	var word uint64
	for i := range b {
		if i%16 == 0 {
			word = d.r.Uint64()
		}
		b[i], word = hexSet[word&15], word>>4
	}
}

// uuid is a lower-case UUID of version 4.
func (d draw) uuid() string {
	var h [36]byte
	d.fillHex(h[:])
	h[8], h[13], h[18], h[23] = '-', '-', '-', '-'
	h[14], h[19] = '4', "89ab"[d.r.IntN(4)]
	return string(h[:])
}
