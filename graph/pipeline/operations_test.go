package pipeline_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// The fast path against gqlgen's own path over documents of several operations that share fragments: the same text with
// other operation names and other variables, in any order, on the same two running gateways. A cache whose key lacks the
// operation or the variables answers the second request of such a document with what belongs to the first.

// How many documents are compared, and which. For the long comparison:
// go test ./graph -run TestFastPathIsTheReferenceByOperation -documents 20000.
var (
	oracleDocuments = flag.Int("documents", 30, "random documents of several operations that are compared")
	oracleSeed      = flag.Uint64("documents-seed", 0, "the seed of the first of those documents; 0 for a random one")
)

func TestFastPathIsTheReferenceByOperation(t *testing.T) {
	t.Parallel()
	first := *oracleSeed
	if first == 0 {
		first = rand.Uint64()
	}
	t.Logf("-documents %d -documents-seed %d", *oracleDocuments, first)
	d := newDifferential(t)
	var seen tally
	for i := range uint64(*oracleDocuments) {
		d.compareSession(t, first+i, &seen)
		if t.Failed() {
			return
		}
	}
	t.Logf("%+v", seen)
	// Each document has seven requests or more: with so many documents none of these is rare.
	rare := seen.refused == 0 || seen.answered == 0 || seen.faulty == 0 || seen.faulty == seen.answered || seen.limited > seen.answered
	if *oracleDocuments >= 30 && rare {
		t.Errorf("%+v: nothing of one kind was compared", seen)
	}
}

// tally counts the requests that were compared: those above a limit, those refused for another reason, those with data, and
// those with data and errors.
type tally struct{ limited, refused, answered, faulty int }

// compareSession makes a document and requests of it, and sends each of them to the two gateways. The answers must be the
// same bytes. They must have the data and errors of the operation on its own in a document that no cache has seen. Sent
// all at once, the requests must be answered as they were one after another.
func (d *differential) compareSession(t *testing.T, seed uint64, seen *tally) {
	t.Helper()
	g := generator{rand.New(rand.NewPCG(seed, 11)), d}
	s := g.session()
	d.mu.Lock()
	d.bodies = g.bodies()
	d.mu.Unlock()
	answers := make([][]byte, len(s.requests))
	for i, r := range s.requests {
		answers[i] = r.send(d.fast)
		if reference := r.send(d.reference); !bytes.Equal(answers[i], reference) {
			t.Fatalf("seed %d, request %d: %+v\nfast      %s\nreference %s\nrequests  %+v",
				seed, i, r, around(answers[i], reference), around(reference, answers[i]), s.requests[:i])
		}
		outcome := readOutcome(t, answers[i])
		if slices.Contains(outcome.Codes, "INTERNAL") {
			t.Fatalf("seed %d, request %d: %+v\n%.500s", seed, i, r, answers[i])
		}
		switch {
		case slices.Contains(outcome.Codes, "LIMIT_EXCEEDED"):
			seen.limited++ // the document is larger than that of the operation alone
			if i == 0 {
				return // nothing registered it
			}
			continue
		case len(outcome.Data) == 0:
			seen.refused++
		default:
			seen.answered++
			seen.faulty += min(len(outcome.Codes), 1)
		}
		alone := readOutcome(t, s.alone(r, i).send(d.reference))
		if !outcome.equal(alone) {
			t.Fatalf("seed %d, request %d: %+v\nfast  %s %v\nalone %s %v", seed, i, r,
				around(outcome.Data, alone.Data), outcome.Codes, around(alone.Data, outcome.Data), alone.Codes)
		}
	}
	together := make([][]byte, len(s.requests))
	var sending sync.WaitGroup
	for i, r := range s.requests {
		sending.Go(func() { together[i] = r.send(d.fast) })
	}
	sending.Wait()
	for i, r := range s.requests {
		if !bytes.Equal(together[i], answers[i]) {
			t.Fatalf("seed %d, request %d: %+v\nin order %s\ntogether %s", seed, i, r, around(answers[i], together[i]), around(together[i], answers[i]))
		}
	}
}

// outcome is what an answer says, without the places in the document that its errors name.
type outcome struct {
	Data  json.RawMessage
	Codes []string // with the path of each error
}

func (o outcome) equal(other outcome) bool {
	return bytes.Equal(o.Data, other.Data) && slices.Equal(o.Codes, other.Codes)
}

func readOutcome(t testing.TB, body []byte) outcome {
	t.Helper()
	var answered struct {
		Data   json.RawMessage
		Errors []struct {
			Path       json.RawMessage
			Extensions struct{ Code string }
		}
	}
	if err := json.Unmarshal(body, &answered); err != nil {
		t.Fatalf("no JSON: %v: %.500s", err, body)
	}
	o := outcome{Data: answered.Data}
	for _, e := range answered.Errors {
		o.Codes = append(o.Codes, e.Extensions.Code)
		if len(e.Path) > 0 {
			o.Codes[len(o.Codes)-1] += " " + string(e.Path)
		}
	}
	return o
}
