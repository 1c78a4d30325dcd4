package serve_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

// Documents with several operations that share fragments: the same text with other operations and variables, in any
// order, on the same gateway. With a cache whose key lacks the operation or the variables, the second request of such a
// document would get the response to the first. Each operation must have the response that it has alone in a document.

// documentCount is the number of documents. For a long comparison:
// go test ./serve -run TestGeneratedOperations -documents 20000.
var documentCount = flag.Int("documents", 30, "random documents with several operations to compare")

func TestGeneratedOperations(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, first := newDifferential(t, true), firstSeed(t, "documents", *documentCount)
		var seen tally
		for i := range uint64(*documentCount) {
			d.wantSameSession(t, first+i, &seen)
			if t.Failed() {
				return
			}
		}
		t.Logf("%+v", seen)
		// Each document has seven requests or more, so 30 documents have requests of each kind.
		missing := seen.rejected == 0 || seen.succeeded == 0 || seen.partial == 0 || seen.partial == seen.succeeded || seen.limited > seen.succeeded
		if *documentCount >= 30 && missing {
			t.Errorf("%+v: a kind is missing", seen)
		}
	})
}

// tally counts the compared requests: above a limit, rejected for another reason, with data, and with data and errors.
type tally struct{ limited, rejected, succeeded, partial int }

// wantSameSession generates a session and sends its requests to both gateways. It fails the test unless both responses
// are the same bytes, with the data and the errors of the same operation alone in a document that is in no cache. The
// requests must have the same responses when they are sent concurrently.
func (d *differential) wantSameSession(t testing.TB, seed uint64, seen *tally) {
	t.Helper()
	g := newGenerator(seed, 11, d)
	s := g.session()
	d.mu.Lock()
	d.bodies = g.bodies()
	d.mu.Unlock()
	responses := make([][]byte, len(s.requests))
	for i, r := range s.requests {
		responses[i] = d.run(r, d.one)
		if other := d.run(r, d.other); !bytes.Equal(responses[i], other) {
			t.Fatalf("seed %d, request %d: %+v\none      %s\nother    %s\nrequests %+v",
				seed, i, r, around(responses[i], other), around(other, responses[i]), s.requests[:i])
		}
		outcome := readOutcome(t, responses[i])
		if slices.Contains(outcome.Codes, "INTERNAL") {
			t.Fatalf("seed %d, request %d: %+v\n%.500s", seed, i, r, responses[i])
		}
		switch {
		case slices.Contains(outcome.Codes, "LIMIT_EXCEEDED"):
			seen.limited++ // the document is larger than one with only the operation
			if i == 0 {
				return // the document is not registered
			}
			continue
		case len(outcome.Data) == 0:
			seen.rejected++
		default:
			seen.succeeded++
			seen.partial += min(len(outcome.Codes), 1)
		}
		alone := readOutcome(t, d.run(s.alone(r, i), d.other))
		if !outcome.equal(alone) {
			t.Fatalf("seed %d, request %d: %+v\nhere  %s %v\nalone %s %v", seed, i, r,
				around(outcome.Data, alone.Data), outcome.Codes, around(alone.Data, outcome.Data), alone.Codes)
		}
	}
	concurrent := make([][]byte, len(s.requests))
	var sending sync.WaitGroup
	for i, r := range s.requests {
		sending.Go(func() { concurrent[i] = d.run(r, d.one) })
	}
	sending.Wait()
	for i, r := range s.requests {
		if !bytes.Equal(concurrent[i], responses[i]) {
			t.Fatalf("seed %d, request %d: %+v\nin order   %s\nconcurrent %s", seed, i, r, around(responses[i], concurrent[i]), around(concurrent[i], responses[i]))
		}
	}
}

// outcome is a response without the locations of its errors in the document.
type outcome struct {
	Data  json.RawMessage
	Codes []string // with the path of each error
}

func (o outcome) equal(other outcome) bool {
	return bytes.Equal(o.Data, other.Data) && slices.Equal(o.Codes, other.Codes)
}

func readOutcome(t testing.TB, body []byte) outcome {
	t.Helper()
	var envelope struct {
		Data   json.RawMessage
		Errors []struct {
			Path       json.RawMessage
			Extensions struct{ Code string }
		}
	}
	if err := json.Unmarshal(body, &envelope); err != nil {
		t.Fatalf("not JSON: %v: %.500s", err, body)
	}
	o := outcome{Data: envelope.Data}
	for _, e := range envelope.Errors {
		o.Codes = append(o.Codes, e.Extensions.Code)
		if len(e.Path) > 0 {
			o.Codes[len(o.Codes)-1] += " " + string(e.Path)
		}
	}
	return o
}
